import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { startBlock } from '../helpers/live-block.ts';
import { startProcess, startSleeper } from '../helpers/processes.ts';
import { findByArgv, isAlive, readArgv } from '../helpers/procfs.ts';
import type { Reader } from '../helpers/reader.ts';
import { describeIf, isLinux, isRoot } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** A row of `ps --json` as far as it is looked at here. */
interface Row extends Readonly<Record<string, unknown>> {
  readonly pid: number;
  readonly parentPid: number | null;
  readonly pgid: number;
  readonly sid: number;
  readonly command: string;
  readonly startTicks: number;
  readonly listeners: readonly { readonly port: number }[] | null;
}

/**
 * What the reader by `ps` tells otherwise than the one by procfs, and why. Whatever is not here is the same.
 */
const DIFFERENCES: Readonly<Record<string, string>> = {
  argv: 'null: ps prints one text',
  command: 'that text, unquoted',
  exe: 'null, but for argv[0] where it is a path on macOS: ps does not tell',
  startTicks: 'seconds since 1970, not ticks since the boot',
  startedAtMs: 'whole seconds',
  ageMs: 'whole seconds',
  cpuMs: 'whole seconds on Linux',
  cpuPercent: 'follows cpuMs',
  rssBytes: 'of another moment',
  privateBytes: 'null: ps does not tell',
  comm: 'argv[0] on macOS',
  source: 'group or record, where descent is not seen: orphans are not adopted',
};

/**
 * What it does not find: who left its session with a cleared environment before it was seen, and on macOS a program of
 * the system whose shell ended within a second, since its environment is hidden.
 */

/** Different in two runs of the same, whoever reads. */
const OF_THE_RUN = ['pid', 'parentPid', 'pgid', 'sid', 'blockId', 'listeners', 'state', 'orphan'];

const readers: readonly { reader: Reader; programs: readonly string[] }[] = [
  { reader: 'ps', programs: ['ps', 'lsof'] },
  { reader: 'darwin', programs: ['perl'] },
];

// Each question is a program that is started: on a loaded machine a tenth of a second.
vi.setConfig({ testTimeout: 180_000 });

for (const { reader, programs } of readers) {
  const missing = programs.filter((name) => findProgram(name) === '');
  const reason = `there is no ${missing.join(', no ')}`;
  describeIf(missing.length === 0, reason, `processes read by ${reader}`, () => testReader(reader));
}

function testReader(reader: Reader): void {
  it('are the same rows as by procfs, but for what ps cannot tell', async () => {
    const [own, native] = [createRig({ reader }), createRig({ reader: 'native', tracker: 'scan' })];
    const [rows, expected] = [await grow(own, 'b1'), await grow(native, 'b1')];
    expect(rows.map(nameOf)).toEqual(expected.map(nameOf));
    expect(rows.map((row) => shapeOf(row, rows))).toEqual(expected.map((row) => shapeOf(row, expected)));
    expect(findDifferences(rows, expected).filter((field) => DIFFERENCES[field] === undefined)).toEqual([]);
  });

  it('are ended with their block, verified, and no bystander', async () => {
    const rig = createRig({ reader });
    const { agent, wrapper } = await startBlock(rig, 'b1');
    const bystander = startSleeper();
    await agent.startTool('setsid sleep 4611 & sleep 4611 & trap "" TERM; sleep 4611 & wait; wait');
    await agent.startPlumbing('sleep', '4611');
    const pids = await waitFor('four sleepers', () => findAll('4611', 4));
    const { pid } = await agent.inspect();
    await rig
      .agentmux('kill-tree', '--grace', '1')
      .stdout(/sleep 4611/)
      .stderr(anything)
      .run(60_000);
    expect([pid, ...pids].filter(isAlive)).toEqual([]);
    expect(isAlive(bystander.pid)).toBe(true);
    await wrapper.exited();
    await rig.agentmux('kill-tree', '--block', 'b1').stderr('nothing of "b1" lives\n').run();
  });

  it('are found and ended by the next command when the wrapper was killed', async () => {
    const rig = createRig({ reader });
    const { agent, wrapper } = await startBlock(rig, 'b1');
    await agent.startTool('setsid sleep 4612 & sleep 4612 & wait');
    const pids = await waitFor('two sleepers', () => findAll('4612', 2));
    wrapper.child.kill('SIGKILL');
    await wrapper.exited();
    await rig
      .agentmux('blocks')
      .stdout(/^b1 .* wrapper gone, /m)
      .run();
    await rig.agentmux('kill-tree', '--block', 'b1', '--grace', '1').stdout(anything).stderr(anything).run(60_000);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('are told of one by one: why, identities, and an end that names one', async () => {
    const rig = createRig({ reader });
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('sleep 4613; true');
    const [row] = await waitFor('its row', async () => {
      const found = (await listRows(rig)).filter(({ command }) => command === 'sleep 4613');
      return found.length === 1 && found;
    });
    const { stdout } = await rig.agentmux('why', String(row?.pid)).stdout(/b1/).run();
    expect(stdout).toContain('sleep 4613');
    const other = `${row?.pid}:${(row?.startTicks ?? 0) + 1}`;
    await rig
      .agentmux('kill', other)
      .stdout(/already gone/)
      .run();
    expect(isAlive(row?.pid ?? 0)).toBe(true);
    await rig.agentmux('kill', `${row?.pid}:${row?.startTicks}`).stdout(anything).stderr(anything).run(60_000);
    expect(isAlive(row?.pid ?? 0)).toBe(false);
    await waitFor('the end of the call', () => !isAlive(tool));
  });

  it('that outlive the agent are reported at its end', async () => {
    const rig = createRig({ reader });
    const { agent, wrapper } = await startBlock(rig, 'b1');
    await agent.startTool(`${process.execPath} -e 'setInterval(Date,4614)' & true`);
    await waitFor('its row', async () => (await listRows(rig)).some(({ command }) => command.includes('4614')));
    agent.exit(0);
    await wrapper.exited();
    expect(wrapper.stderr).toMatch(/1 process of b1 still runs[\s\S]*4614/);
    await rig
      .agentmux('kill-tree', '--block', 'b1')
      .stdout(/exited .*4614/)
      .stderr(anything)
      .run();
  });

  it('and what can be told of them so: doctor', async () => {
    const rig = createRig({ reader });
    const { stdout } = await rig
      .agentmux('doctor')
      .stdout(/^tracker: scan, confidence best effort/)
      .run();
    expect(stdout).toMatch(/^processes: read by ps/m);
  });
}

describeIf(findProgram('perl') !== '', 'there is no perl', 'what macOS prints of a program', () => {
  it.each([
    { title: '', seen: true },
    { title: 'a title', seen: false },
  ])('that calls itself $title shows an environment: $seen', async ({ title, seen }) => {
    const script = `const title = ${JSON.stringify(title)}; if (title) process.title = title; setInterval(Date, 4640)`;
    const env = { AGENTMUX_TAG: 'x' };
    const { pid } = startProcess(process.execPath, ['-e', script, 'some', 'words'], { env });
    const list = (options: string) =>
      spawnSync('test/fixtures/darwin/bin/ps', [options, '-o', 'pid=', '-o', 'command='], { encoding: 'utf8' })
        .stdout.split('\n')
        .find((line) => line.trim().startsWith(`${pid} `)) ?? '';
    await waitFor('its title', () => list('-axww').includes(title === '' ? '4640' : `${pid} ${title}`));
    expect(list('-axwwE').endsWith(' AGENTMUX_TAG=x')).toBe(seen);
  });
});

/** A directory with nothing in it. */
const EMPTY = mkdtempSync(join(tmpdir(), 'agentmux-empty-'));
afterAll(() => rmSync(EMPTY, { recursive: true, force: true }));

const canHide = isRoot && isLinux && spawnSync('unshare', ['-m', 'true']).status === 0;

describeIf(canHide, 'needs root and mount namespaces', 'a system without procfs', () => {
  it('runs, lists and ends a block by what macOS prints', async () => {
    const hide = 'mount -t proc proc /mnt && mount --bind "$0" /proc && exec "$@"';
    const rig = createRig({ reader: 'darwin', prefix: ['unshare', '-m', 'sh', '-c', hide, EMPTY] });
    const { agent, wrapper } = await startBlock(rig, 'b1');
    await agent.startTool(`sleep 4620 & ${serverCommand()}`);
    const rows = await waitFor('the tree', async () => {
      const found = (await listRows(rig)).filter(({ command }) => /^sleep 4620|createServer/.test(command));
      return found.length >= 2 && found.some(({ listeners }) => listeners?.length === 1) && found;
    });
    agent.exit(3);
    expect(await wrapper.exited()).toBe(3);
    expect(wrapper.stderr).toMatch(/still run[s]?:[\s\S]*sleep 4620/);
    await rig.agentmux('kill-tree', '--block', 'b1', '--grace', '1').stdout(anything).stderr(anything).run(60_000);
    expect(rows.map(({ pid }) => pid).filter(isAlive)).toEqual([]);
  });
});

describe('where ps fails', () => {
  it('nothing is taken for empty', async () => {
    const rig = createRig({ reader: 'ps' });
    const stub = join(rig.workDirectory, 'ps');
    writeFileSync(stub, '#!/bin/sh\nexit 1\n');
    chmodSync(stub, 0o755);
    const calls = [rig.agentmux('doctor', '--untracked'), rig.agentmux('why', '1')];
    for (const call of calls) {
      await call
        .env('PATH', `${rig.workDirectory}:/usr/bin:/bin`)
        .stdout(anything)
        .stderr(/cannot read processes by ps: ps ended with status 1/)
        .status(1)
        .run();
    }
  });

  it('the one of the system is taken where PATH has none', async () => {
    const rig = createRig({ reader: 'ps' });
    await rig
      .agentmux('doctor')
      .env('PATH', rig.workDirectory)
      .stdout(/^processes: read by ps/m)
      .run();
  });

  it('pidtree lists for the run itself, which ends what it saw; to others its block is elsewhere', async () => {
    const rig = createRig({ reader: 'ps' });
    const stub = join(rig.workDirectory, 'ps');
    writeFileSync(
      stub,
      `#!/bin/sh\ncase "$*" in '-A -o ppid,pid') exec ${findProgram('ps')} "$@" ;; *) exit 1 ;; esac\n`,
    );
    chmodSync(stub, 0o755);
    const path = `${rig.workDirectory}:${rig.env['PATH']}`;
    await rig
      .agentmux('doctor')
      .env('PATH', path)
      .stdout(/\[read-by-last-resort: ps ended with status 1\][\s\S]*^processes: read by pidtree or ps-tree$/m)
      .run();
    const script = 'setsid sleep 4630 & sleep 4630 & while [ ! -e go ]; do sleep 0.1; done';
    const call = rig.run('--block', 'b1', '--leftovers', 'kill', '--', 'sh', '-c', script).env('PATH', path);
    const wrapper = call.start();
    const pids = await waitFor('two sleepers', () => findAll('4630', 2));
    const members = join(rig.stateDirectory, 'blocks', 'b1.members');
    await waitFor('both to be seen', () => {
      const text = existsSync(members) ? readFileSync(members, 'utf8') : '';
      return pids.every((pid) => text.includes(`:${pid},`));
    });
    await rig
      .agentmux('kill-tree', '--block', 'b1')
      .env('PATH', path)
      .stderr(/"b1" is of another machine or pid namespace/)
      .status(5)
      .run();
    writeFileSync(join(rig.workDirectory, 'go'), '');
    expect(await wrapper.exited()).toBe(0);
    expect(wrapper.stderr).toContain('ended 2 processes of b1');
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('a table of another name is refused', async () => {
    const rig = createRig();
    await rig
      .agentmux('ps')
      .env('AGENTMUX_PROCESS_TABLE', 'wmic')
      .stderr(/AGENTMUX_PROCESS_TABLE=wmic/)
      .status(2)
      .run();
  });
});

/** The same tree each time: a call with children and one in a session of its own, a server, a helper of the agent. */
async function grow(rig: Rig, id: string): Promise<Row[]> {
  const { agent } = await startBlock(rig, id);
  await agent.startTool("sleep 4601 & setsid sleep 4602 & bash -c 'sleep 4603; true'");
  await agent.startTool(serverCommand());
  await agent.startPlumbing('sleep', '4604');
  return waitFor('the whole tree', async () => {
    const rows = await listRows(rig);
    const has = (word: string) => rows.some(({ command }) => command.includes(word) && !command.startsWith('bash'));
    const isWhole = ['4601', '4602', '4603', '4604', 'createServer'].every(has);
    const listens = rows.some(({ listeners }) => listeners?.length === 1);
    return isWhole && listens && rows.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  });
}

function serverCommand(): string {
  return `${process.execPath} -e "require('net').createServer().listen(0,'127.0.0.1')"; true`;
}

async function listRows(rig: Rig): Promise<Row[]> {
  const { rows } = await rig.agentmux('ps', '--all', '--json').json<{ rows: Row[] }>();
  return rows;
}

/** The command without quotes and without what differs between two rigs. */
function nameOf({ command }: Row): string {
  return command.replaceAll(/["'\\]/g, '').replaceAll(/\/tmp\/\S+/g, 'TMP');
}

/** Numbers by the names of the processes that they are the pids of. */
function shapeOf({ parentPid, pgid, sid, listeners }: Row, rows: readonly Row[]) {
  const name = (pid: number | null) => rows.filter((row) => row.pid === pid).map(nameOf);
  return { parent: name(parentPid), group: name(pgid), session: name(sid), sockets: listeners?.length };
}

function findDifferences(rows: readonly Row[], expected: readonly Row[]): string[] {
  const fields = new Set(rows.flatMap((row) => Object.keys(row)).filter((field) => !OF_THE_RUN.includes(field)));
  return [...fields].filter((field) =>
    rows.some((row, index) => textOf(row, field) !== textOf(expected[index], field)),
  );
}

/** Without the directory of the rig. */
function textOf(row: Row | undefined, field: string): string {
  return JSON.stringify(row?.[field] ?? null).replaceAll(/agentmux-test-\w+/g, 'RIG');
}

function findProgram(name: string): string {
  return spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
}

function findAll(seconds: string, count: number): number[] | false {
  const pids = findByArgv(seconds).filter((pid) => readArgv(pid).join(' ') === `sleep ${seconds}`);
  return pids.length >= count && pids;
}
