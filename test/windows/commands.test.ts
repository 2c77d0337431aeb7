import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anything, type CliCall } from '../helpers/cli-call.ts';
import { compileSchema, findFaults } from '../helpers/json-schema.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { capMs, createAgent, sleeper, startBystander } from './helpers/agent.ts';
import { isAlive, priorityClass } from './helpers/look.ts';
import { type Population, pidsOf, populate } from './helpers/population.ts';
import { bins, createRig, outcome, type Rig, startBlock } from './helpers/rig.ts';

interface Row {
  readonly pid: number;
  readonly parentPid: number;
  readonly startTicks: number;
  readonly command: string;
  readonly argv: readonly string[];
  readonly role: string;
  readonly confidence: string;
  readonly escaped: boolean;
  readonly orphan: boolean;
  readonly rssBytes: number | null;
  readonly cpuMs: number | null;
  readonly listeners: readonly { readonly port: number }[];
}

interface Block {
  readonly id: string;
  readonly status: string;
  readonly processes: number | null;
  readonly agentStarted: number | null;
  readonly cpuMs: number | null;
  readonly privateBytes: number | null;
  readonly ports: readonly number[] | null;
  readonly tracker: { readonly type: string; readonly confidence: string };
}

/** Runs a command with --json and holds its output to the schema of that command. */
async function ask<T>(rig: Rig, status: number, command: string, ...args: string[]): Promise<T> {
  const result = await outcome(rig.agentmux(command, '--json', ...args));
  if (result.status !== status)
    throw new Error(`${command} ${args}: ${result.status}\n${result.stdout}${result.stderr}`);
  const document = JSON.parse(result.stdout) as T;
  expect(findFaults(compileSchema(command), document), command).toEqual([]);
  return document;
}

const listRows = async (rig: Rig, ...args: string[]) => (await ask<{ rows: Row[] }>(rig, 0, 'ps', ...args)).rows;
const listBlocks = async (rig: Rig, ...args: string[]) =>
  (await ask<{ blocks: Block[] }>(rig, 0, 'blocks', ...args)).blocks;

/** A server that a tool of the agent starts; the port is written to its stdout, which nobody reads. */
const server = (file: string) => [
  process.execPath,
  '-e',
  `const s = require('net').createServer().listen(0, '127.0.0.1', () => require('fs').writeFileSync(process.argv[1], String(s.address().port)))`,
  file,
];

/** A look while the agent lives: a scan knows by it whose child the one without variables was. */
async function seen(rig: Rig, population: Population): Promise<void> {
  await waitFor('a look', async () => (await listRows(rig, '--all')).some(({ pid }) => pid === population.bare), capMs);
}

const trackers = [
  { tracker: undefined, type: 'job', confidence: 'high' },
  { tracker: 'scan', type: 'scan', confidence: 'best_effort' },
] as const;

describe.each(trackers)('a block on Windows, by $type', ({ tracker, type, confidence }) => {
  it('holds whatever the agent starts, and kill-tree ends all of it and nothing else', async () => {
    const rig = createRig({ tracker });
    const { agent, agentPid, wrapper } = await startBlock(rig, 'b1');
    const bystander = startBystander();
    const population = await populate(agent);
    const expected = [agentPid, ...pidsOf(population)];

    const rows = await listRows(rig, '--all');
    expect(rows.map(({ pid }) => pid)).toEqual(expect.arrayContaining(expected));
    expect(rows.map(({ pid }) => pid)).not.toContain(bystander);
    expect(rows.map(({ pid }) => pid)).not.toContain(wrapper.pid);
    const row = (pid: number | undefined) => rows.find((one) => one.pid === pid);
    expect(row(agentPid)?.role).toBe('root');
    expect(row(population.inTool)).toMatchObject({ confidence, escaped: false, parentPid: population.tool });
    expect(row(population.inTool)?.command).toBe('ping -n 1000 127.0.0.1');
    expect(row(population.detached)?.parentPid).toBe(agentPid);
    expect(row(agentPid)?.rssBytes).toBeGreaterThan(10_000_000);

    const started = (await listRows(rig)).map(({ pid }) => pid);
    expect(started).toEqual(expect.arrayContaining([population.tool, population.inTool, population.orphan]));
    expect(started).not.toContain(agentPid);

    const [block] = await listBlocks(rig);
    expect(block).toMatchObject({ id: 'b1', status: 'running', tracker: { type, confidence } });
    expect(block?.processes).toBeGreaterThanOrEqual(expected.length);
    expect(block?.cpuMs).toBeGreaterThanOrEqual(0);

    const { rows: results, ok } = await ask<{ ok: boolean; rows: { pid: number; result: string }[] }>(
      rig,
      0,
      'kill-tree',
    );
    expect(ok).toBe(true);
    expect(results.map(({ pid }) => pid)).toEqual(expect.arrayContaining(expected));
    expect(expected.filter(isAlive)).toEqual([]);
    expect(isAlive(bystander)).toBe(true);
    expect(await wrapper.exited(capMs)).not.toBe(0);
    await rig.agentmux('kill-tree', '--block', 'b1').stderr('nothing of "b1" lives\n').run(capMs);
  });

  it('shows its tree with the shells between the agent and the rest', async () => {
    const rig = createRig({ tracker });
    const { agent, agentPid } = await startBlock(rig, 'b1');
    const tool = await agent.startTool(`cmd.exe /d /c ${sleeper.join(' ')}`);
    await waitFor('three levels', async () => (await listRows(rig)).length >= 3, capMs);
    const { stdout } = await outcome(rig.agentmux('tree', '--all'));
    const indent = (text: string) =>
      stdout
        .split('\n')
        .find((line) => line.includes(text))
        ?.search(/\w/) ?? -1;
    expect(indent(String(agentPid))).toBeGreaterThan(0);
    expect(indent(String(tool))).toBeGreaterThan(indent(String(agentPid)));
    expect(stdout).toMatch(/ping -n 1000 127\.0\.0\.1/);
    await ask(rig, 0, 'tree');
  });

  it('ends one tool with what it started, and leaves the rest', async () => {
    const rig = createRig({ tracker });
    const { agent, agentPid } = await startBlock(rig, 'b1');
    const population = await populate(agent);
    const { rows } = await ask<{ rows: { pid: number; result: string }[] }>(rig, 0, 'kill', String(population.tool));
    expect(rows.map(({ pid }) => pid)).toEqual(expect.arrayContaining([population.tool, population.inTool]));
    expect([population.tool, population.inTool].filter(isAlive)).toEqual([]);
    expect([agentPid, population.detached, population.bare, population.orphan].every(isAlive)).toBe(true);
    const [identity] = (await outcome(rig.agentmux('ps', '-q', '--filter', `pid=${population.orphan}`))).stdout.split(
      '\n',
    );
    expect(identity).toMatch(new RegExp(`^${population.orphan}:\\d+$`));
    await ask(rig, 0, 'kill', identity ?? '');
    expect(isAlive(population.orphan)).toBe(false);
    await rig
      .agentmux('kill', '4')
      .stdout(anything)
      .stderr(/^error: /)
      .status(3)
      .run(capMs);
    expect((await outcome(rig.agentmux('kill', String(process.pid)))).status).not.toBe(0);
  });

  it('tells of leftovers at the end of the agent, keeps hold of them, and ends them', async () => {
    const rig = createRig({ tracker });
    const { agent, wrapper } = await startBlock(rig, 'b1');
    const population = await populate(agent);
    await seen(rig, population);
    agent.exit(0);
    const { status, stderr } = await wrapper.ended(capMs);
    expect(status).toBe(0);
    expect(stderr).toContain('ping -n 1000 127.0.0.1');
    // The tool itself is in the job by which libuv ends what a Node started.
    const left = [population.inTool, population.detached, population.bare, population.orphan];
    expect(left.every(isAlive)).toBe(true);
    expect((await listBlocks(rig))[0]).toMatchObject({ status: 'leftovers', tracker: { type } });
    expect((await listRows(rig)).map(({ pid }) => pid)).toEqual(expect.arrayContaining(left));
    expect((await outcome(rig.agentmux('wait', '--until', 'empty', '--timeout', '1s', '--block', 'b1'))).status).toBe(
      124,
    );
    await ask(rig, 0, 'kill-tree', '--block', 'b1');
    expect(pidsOf(population).filter(isAlive)).toEqual([]);
    await rig.agentmux('wait', '--until', 'empty', '--block', 'b1').run(capMs);
  });

  it('leaves nothing behind where that was asked for', async () => {
    const rig = createRig({ tracker });
    const { agent, wrapper } = await startBlock(rig, 'b1', '--leftovers', 'kill');
    const population = await populate(agent);
    await seen(rig, population);
    agent.exit(3);
    expect((await wrapper.ended(capMs)).status).toBe(3);
    expect(pidsOf(population).filter(isAlive)).toEqual([]);
  });

  it('is answered for by ports, why and wait', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const file = join(rig.workDirectory, 'port');
    const pid = await agent.start(server(file), { cwd: rig.workDirectory });
    const { rows } = await waitFor(
      'the port',
      async () => {
        const found = await ask<{ rows: { port: number; pid: number; blockId: string; cwd: string }[] }>(
          rig,
          0,
          'ports',
        );
        return found.rows.length > 0 && found;
      },
      capMs,
    );
    const [row] = rows;
    expect(row).toMatchObject({ pid, blockId: 'b1' });
    expect(row?.cwd.toLowerCase()).toBe(rig.workDirectory.toLowerCase());
    const { answers } = await ask<{ answers: { pid: number; block: { id: string } | null }[] }>(
      rig,
      0,
      'why',
      `:${row?.port}`,
    );
    expect(answers[0]).toMatchObject({ pid, block: { id: 'b1' } });
    await rig.agentmux('wait', '--until', `port=${row?.port}`, '--block', 'b1').run(capMs);
    await rig.agentmux('why', String(pid)).stdout(/b1/).run(capMs);
  });

  it('has entries, which may be kept and released', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const { orphan, tool } = await populate(agent);
    const entries = await waitFor(
      'the entry of the orphan',
      async () => {
        const found = await ask<{ entries: { id: string; pids: number[] }[] }>(rig, 0, 'entries');
        return found.entries.find(({ pids }) => pids.includes(orphan));
      },
      capMs,
    );
    await ask(rig, 0, 'keep', entries.id, '--note', 'demo');
    await rig
      .agentmux('entries')
      .stdout(/kept: demo/)
      .run(capMs);
    expect((await outcome(rig.agentmux('kill-tree'))).status).toBe(0);
    expect(isAlive(orphan)).toBe(true);
    expect(isAlive(tool)).toBe(false);
    await ask(rig, 0, 'release', entries.id);
    expect((await outcome(rig.agentmux('kill-tree', '--block', 'b1'))).status).toBe(0);
    expect(isAlive(orphan)).toBe(false);
  });

  it('is told of by events as it comes, grows and ends', async () => {
    const rig = createRig({ tracker });
    const running = rig.agentmux('events', '--json', '--interval', '300ms').start();
    const types = () =>
      running.stdout
        .slice(0, running.stdout.lastIndexOf('\n') + 1)
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { type: string }).type);
    const told = (type: string) =>
      waitFor(`${type}; so far ${types()} ${running.stderr}`, () => types().includes(type), capMs);
    // It begins with what changes after its first look.
    const first = await startBlock(rig, 'first');
    let tool = 0;
    await waitFor(
      'its first look',
      async () => {
        tool = await first.agent.startTool(sleeper.join(' '));
        await delay(500);
        return types().includes('process-added');
      },
      capMs,
    );
    const { agent, wrapper } = await startBlock(rig, 'b1');
    await told('block-added');
    await rig.agentmux('kill', String(tool)).stdout(anything).stderr(anything).run(capMs);
    await told('process-exited');
    agent.exit(0);
    await wrapper.exited(capMs);
    await told('block-ended');
    running.kill('SIGTERM');
    await running.exited(capMs);
  });

  it('runs with a lower priority when told to, and what it starts too', async () => {
    const rig = createRig({ tracker });
    const { agent, agentPid } = await startBlock(rig, 'b1');
    const early = await agent.start(sleeper);
    expect(priorityClass(early)).toBe(NORMAL);
    await rig.agentmux('priority', '--block', 'b1', 'below-normal').stdout(anything).stderr(anything).run(capMs);
    expect([agentPid, early].map(priorityClass)).toEqual([BELOW_NORMAL, BELOW_NORMAL]);
    await rig.agentmux('priority', '--block', 'b1', 'normal').stdout(anything).stderr(anything).run(capMs);
    expect([agentPid, early].map(priorityClass)).toEqual([NORMAL, NORMAL]);
  });
});

const NORMAL = 0x20;
const BELOW_NORMAL = 0x4000;

describe('agentmux on Windows', () => {
  it('says by doctor how it would track, and what it can call', async () => {
    const rig = createRig();
    const { stdout } = await outcome(rig.agentmux('doctor'));
    expect(stdout).toMatch(/^tracker: job/m);
    expect(stdout).toContain('native calls: available (ffi-rs)');
    expect(stdout).not.toContain('no-adoption');
    const scanned = await outcome(createRig({ tracker: 'scan' }).agentmux('doctor'));
    expect(scanned.stdout).toContain('[no-adoption: this is win32]');
    const { tracker } = await ask<{ tracker: { type: string } }>(rig, 0, 'doctor');
    expect(tracker.type).toBe('job');
  });

  it('keeps its state below LOCALAPPDATA where nothing else is said', async () => {
    const rig = createRig({ home: true });
    await rig.run('--block', 'b1', 'cmd', '/d', '/c', 'exit 0').run(capMs);
    const blocks = await listBlocks(rig, '--all');
    expect(blocks.map(({ id, status }) => [id, status])).toEqual([['b1', 'ended']]);
    expect((await outcome(rig.agentmux('doctor'))).stdout).toContain(`state: ${rig.stateDirectory}`);
  });

  it('keeps a state in a directory with a long path, and blocks of a directory that has nearly one', async () => {
    const { workDirectory, ...rig } = createRig();
    const state = join(workDirectory, 's'.repeat(150), 't'.repeat(150));
    expect(state.length).toBeGreaterThan(300);
    // A working directory of more than 258 characters is only possible where Windows was told so.
    const cwd = join(workDirectory, 'd'.repeat(240 - workDirectory.length - 1));
    mkdirSync(cwd);
    const agent = await createAgent();
    const call = (command: CliCall) => command.cwd(cwd).env('AGENTMUX_STATE_DIR', state);
    const wrapper = call(rig.run('--block', 'b1', '--', ...agent.argv)).start();
    const { pid, cwd: told } = await (await agent.connected()).inspect();
    expect(told).toBe(cwd);
    const { stdout } = await outcome(call(rig.agentmux('ps', '--all', '--json')));
    expect(JSON.parse(stdout).rows).toContainEqual(expect.objectContaining({ pid, cwd }));
    await call(rig.agentmux('kill-tree', '--block', 'b1'))
      .stdout(anything)
      .stderr(anything)
      .run(capMs);
    expect(isAlive(pid)).toBe(false);
    await wrapper.exited(capMs);
    expect(existsSync(join(state, 'blocks', 'b1.json'))).toBe(true);
  });

  it('refuses names that no file and no job can have, and such as differ only in case', async () => {
    const rig = createRig();
    for (const name of ['con', 'NUL', 'com1', 'aux.txt', '../x', 'a:b']) {
      await rig
        .run('--block', name, 'whoami')
        .stderr(/^agentmux-run: /)
        .status(125)
        .run(capMs);
    }
    await rig.run('--block', 'Mine', 'cmd', '/d', '/c', 'exit 0').run(capMs);
    await rig
      .run('--block', 'mine', 'whoami')
      .stderr(/^agentmux-run: .*"Mine"/)
      .status(125)
      .run(capMs);
  });

  it('prunes what has ended, and nothing that lives', async () => {
    const rig = createRig();
    await rig.run('--block', 'old', 'cmd', '/d', '/c', 'exit 0').run(capMs);
    await startBlock(rig, 'live');
    const { pruned } = await ask<{ pruned: { id: string }[] }>(rig, 0, 'prune', '--older-than', '0');
    expect(pruned.map(({ id }) => id)).toEqual(['old']);
    expect((await listBlocks(rig, '--all')).map(({ id }) => id)).toEqual(['live']);
  });

  it('tells of a record that is torn, and goes on', async () => {
    const rig = createRig();
    await startBlock(rig, 'live');
    writeFileSync(join(rig.stateDirectory, 'blocks', 'torn.json'), '{"sch');
    const { blocks, warnings } = await ask<{ blocks: Block[]; warnings: { id: string }[] }>(rig, 0, 'blocks');
    expect(blocks.map(({ id }) => id)).toEqual(['live']);
    expect(warnings.map(({ id }) => id)).toEqual(['torn']);
  });

  it('writes completions and the integration of PowerShell', async () => {
    const rig = createRig();
    await rig
      .agentmux('completion', 'powershell')
      .stdout(/Register-ArgumentCompleter/)
      .run(capMs);
    await rig
      .agentmux('completion', 'bash')
      .stdout(/_agentmux_complete/)
      .run(capMs);
    await rig
      .agentmux('init', 'powershell')
      .stdout(/agentmux-run/)
      .run(capMs);
  });

  it('shows by a dry run what it would do, and starts nothing', async () => {
    const rig = createRig();
    const { stdout, status } = await outcome(rig.run('--dry-run', 'whoami', '/all'));
    expect(status).toBe(0);
    expect(stdout).toMatch(/whoami/i);
    expect(await listBlocks(rig, '--all')).toEqual([]);
  });

  it('ends the tree at the time limit of a run', async () => {
    const rig = createRig();
    const started = rig.run('--timeout', '3s', '--block', 'b1', 'cmd', '/d', '/c', sleeper.join(' ')).start();
    onTestFinished(() => started.kill('SIGKILL'));
    expect((await started.ended(capMs)).status).toBe(124);
    expect(await listBlocks(rig)).toEqual([]);
  });

  it('finds the block that a command is called in by what it is in, not only by its name', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await startBlock(rig, 'b2');
    const file = join(rig.workDirectory, 'inside');
    await agent.startTool(`"${process.execPath}" "${bins.agentmux}" blocks --block -q > "${file}" 2>&1`, {
      env: rig.env,
    });
    await waitFor('its answer', () => /^b1\r?\n$/.test(readText(file)), capMs);
  });
});

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
