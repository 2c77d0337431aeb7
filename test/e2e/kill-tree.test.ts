import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bins, createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { killJson, parseKillJson, readIfThere } from '../helpers/kill-json.ts';
import { startBlock } from '../helpers/live-block.ts';
import { startSleeper } from '../helpers/processes.ts';
import { findByArgv, isAlive, readRow, readTable } from '../helpers/procfs.ts';
import { isNativeReader, notByPs, orphanCommand, trackers } from '../helpers/reader.ts';
import { itIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';

const started = (marker: string, count = 1) =>
  waitFor(`${count} of ${marker}`, () => {
    const pids = findByArgv(marker).filter((pid) => /^sleep/.test(readArgv0(pid)));
    return pids.length >= count && pids;
  });

function readArgv0(pid: number): string {
  return readIfThere(`/proc/${pid}/cmdline`)?.split('\0')[0] ?? '';
}

function readRecord(rig: Rig, id: string): { readonly tracker: { readonly cgroupPath: string | null } } {
  return JSON.parse(readFileSync(join(rig.stateDirectory, 'blocks', `${id}.json`), 'utf8'));
}

describe.each(trackers)('agentmux kill-tree (tracker %s)', (tracker) => {
  it('ends the whole block, verified, and no bystander', async () => {
    const rig = createRig({ tracker });
    const marker = `42${process.pid}`;
    const { agent, wrapper } = await startBlock(rig, 'b1');
    const bystander = startSleeper();
    await agent.startTool(`setsid sleep ${marker} & ${orphanCommand(`sleep ${marker}`)}; sleep ${marker} & wait`);
    await agent.startPlumbing('sleep', marker);
    const pids = await started(marker, 4);
    const { pid } = await agent.inspect();
    const { stdout, stderr } = await rig
      .agentmux('kill-tree')
      .stdout(/^RESULT/)
      .stderr(anything)
      .run();
    expect(stderr).toContain(`(pid ${pid}); --started spares it\n`);
    expect(stdout).toContain(`sleep ${marker}`);
    expect([pid, ...pids].some(isAlive)).toBe(false);
    expect(isAlive(bystander.pid)).toBe(true);
    expect(await wrapper.exited()).not.toBe(0);
    await rig.agentmux('kill-tree', '--block', 'b1').stderr('nothing of "b1" lives\n').run();
  });

  it('ends the block that it is in, lives to verify it, and says so', async () => {
    const rig = createRig({ tracker });
    const { agent, wrapper } = await startBlock(rig, 'b1');
    await agent.startTool('setsid sleep 4202 & wait');
    const [sleeper] = (await started('4202')) as [number];
    const output = join(rig.workDirectory, 'inside');
    await agent.startTool(`exec ${process.execPath} ${bins.agentmux} kill-tree --json >${output} 2>&1`);
    await wrapper.exited();
    const text = await waitFor('its report', () => /\{[\s\S]*\n\}\n$/.exec(readIfThere(output) ?? '')?.[0]);
    const document = parseKillJson('kill-tree', text);
    expect(document.ok).toBe(true);
    expect(document.rows.map((row) => row.pid)).toContain(sleeper);
    expect(isAlive(sleeper)).toBe(false);
  });

  it('spares the agent and its own servers with --started, and neither is left frozen', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const server = await agent.startPlumbing('sleep', '4203');
    await agent.startTool('trap "" TERM; setsid sleep 4204 & while :; do sleep 0.05; done');
    const [tool] = (await started('4204')) as [number];
    const document = await killJson('kill-tree', rig, 0, '--started', '--grace', '300ms');
    expect(document.ok).toBe(true);
    expect(document.rows.map((row) => row.pid)).toContain(tool);
    expect(isAlive(tool)).toBe(false);
    expect(isAlive(server)).toBe(true);
    await agent.inspect();
    await rig.agentmux('kill-tree', '--started').stderr('nothing that the agent of "b1" started lives\n').run();
  });

  it('wakes the stopped and forces the deaf', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const stopped = await agent.startTool('kill -STOP $$; sleep 4205');
    const deaf = await agent.startTool('trap "" TERM INT HUP; while :; do sleep 0.05; done');
    await waitFor('it to stop', () => readRow(stopped)?.state === 'T');
    await waitFor('the loop', () => readTable().some((row) => row.ppid === deaf));
    const { rows } = await killJson('kill-tree', rig, 0, '--grace', '800ms');
    const results = new Map(rows.map((row) => [row.pid, row.result]));
    expect([results.get(stopped), results.get(deaf)]).toEqual(['exited', 'killed']);
  });

  it('sends KILL at once without a grace', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool('sleep 4206 & wait');
    await started('4206');
    const { rows } = await killJson('kill-tree', rig, 0, '--grace', '0');
    expect(rows.every((row) => row.result === 'killed')).toBe(true);
    expect(findByArgv('4206')).toEqual([]);
  });

  it('only prints in a dry run, the same that it would end', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('sleep 4207; true');
    const [sleeper] = (await started('4207')) as [number];
    const root = (await agent.inspect()).pid;
    const listPids = async (...args: string[]) => {
      const { rows } = await killJson('kill-tree', rig, 0, '--dry-run', ...args);
      expect(rows.every((row) => row.result === null)).toBe(true);
      return rows.map((row) => row.pid).sort((a, b) => a - b);
    };
    expect(await listPids()).toEqual([root, tool, sleeper].sort((a, b) => a - b));
    expect(await listPids('--started')).toEqual([tool, sleeper].sort((a, b) => a - b));
    expect([root, tool, sleeper].every(isAlive)).toBe(true);
  });

  const chain =
    'ends a chain of forks that leaves a session and a parent with every link, and does not take it for gone';
  itIf(isNativeReader, notByPs('each link has gone before ps has listed the next'), chain, async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const beat = join(rig.workDirectory, 'beat');
    const link = `i=$1; [ "$i" -gt 0 ] || exit; echo >>${beat}; sleep 0.02; setsid bash $0 $((i - 1)) & exit`;
    writeFileSync(join(rig.workDirectory, 'link'), link);
    await agent.startTool(`bash ${join(rig.workDirectory, 'link')} 400`);
    const beats = () => readIfThere(beat)?.length ?? 0;
    await waitFor('some links', () => beats() > 3);
    await killJson('kill-tree', rig, 0, '--block', 'b1', '--grace', '1');
    const last = beats();
    expect(last).toBeLessThan(400);
    const settled = await rig.command('sleep', '0.5').run();
    expect(settled.status).toBe(0);
    expect(beats()).toBe(last);
  });

  it('ends what a killed wrapper left, and removes its group', async () => {
    const rig = createRig({ tracker });
    const { agent, wrapper } = await startBlock(rig, 'b1');
    const { pid } = await agent.inspect();
    const tool = await agent.startTool('exec sleep 4208');
    wrapper.kill('SIGKILL');
    await wrapper.exited();
    const group = readRecord(rig, 'b1').tracker.cgroupPath;
    await killJson('kill-tree', rig, 0, '--block', 'b1');
    expect([pid, tool].some(isAlive)).toBe(false);
    expect(group !== null && existsSync(group)).toBe(false);
  });

  it('ends blocks that were started inside only when told so', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'outer');
    const command = `${process.execPath} ${bins.agentmuxRun} --leftovers keep --quiet sh -c 'sleep 4209 & wait'`;
    await agent.startTool(`exec ${command}`);
    const [inner] = (await started('4209')) as [number];
    await rig
      .agentmux('kill-tree', '--block', 'outer')
      .stderr(
        /^error: this ends "sh-\w{4}" too, started inside "outer"\nhint: agentmux kill-tree --block outer --yes\n$/,
      )
      .status(5)
      .run();
    expect(isAlive(inner)).toBe(true);
    expect((await killJson('kill-tree', rig, 0, '--block', 'outer', '--yes')).ok).toBe(true);
    expect(isAlive(inner)).toBe(false);
  });

  it('ends a supervisor together with what it starts anew', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool('trap "" TERM; while :; do sleep 4210 & wait $!; done');
    await started('4210');
    expect((await killJson('kill-tree', rig, 0, '--grace', '500ms')).ok).toBe(true);
    expect(findByArgv('4210')).toEqual([]);
  });
});

describe('agentmux kill-tree', () => {
  it('never says success of a block that is not tracked', async () => {
    const rig = createRig();
    await startBlock(rig, 't1', '--terminal');
    await rig
      .agentmux('kill-tree', '--block', 't1')
      .stderr(/^error: block "t1" is not tracked: /)
      .status(5)
      .run();
  });

  it('touches only the block that it is in', async () => {
    const rig = createRig();
    const first = await startBlock(rig, 'b1');
    const second = await startBlock(rig, 'b2');
    await rig
      .agentmux('kill-tree')
      .stderr(/name one\nhint: agentmux kill-tree --block b1\n +agentmux kill-tree --block b2\n$/)
      .status(5)
      .run();
    await second.agent.startTool(`exec ${process.execPath} ${bins.agentmux} kill-tree >out 2>&1`);
    await second.wrapper.exited();
    await first.agent.inspect();
  });
});
