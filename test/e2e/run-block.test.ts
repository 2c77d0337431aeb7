import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BlockRecord } from '../../src/model/block.ts';
import { createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { isNativeReader, notByPs, untilSeen } from '../helpers/reader.ts';
import { isRoot, itIf } from '../helpers/skip.ts';
import { findSleepers } from '../helpers/sleepers.ts';
import { waitFor } from '../helpers/wait-for.ts';

let markers = 0;
const marker = () => `6${process.pid}${String(markers++).padStart(3, '0')}`;

function readRecords(rig: Rig): BlockRecord[] {
  const directory = join(rig.stateDirectory, 'blocks');
  return readdirSync(directory)
    .filter((name) => /^[^.].*\.json$/.test(name))
    .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as BlockRecord);
}

const show = 'echo "$AGENTMUX_BLOCKID $AGENTMUX_TAG"';

describe('the block of a run', () => {
  it('gets a readable name and is recorded whole: who, where, when, how it ended', async () => {
    const rig = createRig();
    const before = Date.now();
    await rig.run('--leftovers', 'kill', 'sh', '-c', 'exit 3').status(3).run();
    const [record] = readRecords(rig);
    expect(record).toMatchObject({ schemaVersion: 1, kind: 'agent', state: 'ended', leftovers: 'kill' });
    expect(record?.id).toMatch(/^sh-[a-z0-9]{4}$/);
    const [run] = record?.runs ?? [];
    expect(run).toMatchObject({
      argv: ['sh', '-c', 'exit 3'],
      cwd: rig.workDirectory,
      exit: { code: 3, timedOut: false },
    });
    expect(run?.root?.startTicks).toBeGreaterThan(0);
    expect(run?.startedAtMs).toBeGreaterThanOrEqual(before);
    expect(run?.endedAtMs).toBeGreaterThanOrEqual(run?.startedAtMs ?? Number.POSITIVE_INFINITY);
    expect(run?.callerSids.length).toBeGreaterThan(0);
    expect(readFileSync(join(rig.stateDirectory, 'blocks', `${record?.id}.json`), 'utf8')).not.toContain('PATH=');
  });

  it('carries the name of the agent behind a launcher', async () => {
    const rig = createRig();
    await rig
      .run('--dry-run', 'env', 'A=1', 'timeout', '9', 'claude')
      .stdout(/^block {8}claude-\w{4} \(new\)$/m)
      .run();
  });

  it('is run once more under the same name and tag, and remembers every root', async () => {
    const rig = createRig();
    const first = await rig.run('--block', 'b1', 'sh', '-c', show).stdout(anything).run();
    const second = await rig.run('--block', 'b1', 'sh', '-c', `${show}; exit 4`).stdout(anything).status(4).run();
    expect(second.stdout).toBe(first.stdout);
    const [record, ...others] = readRecords(rig);
    expect(others).toEqual([]);
    expect(record?.runs.map((run) => run.exit?.code)).toEqual([0, 4]);
    expect(new Set(record?.runs.map((run) => run.root?.pid)).size).toBe(2);
  });

  it('holds what an earlier run left, so that one command ends both', async () => {
    const rig = createRig();
    const id = marker();
    const leave = `sleep ${id} >/dev/null 2>&1 & ${untilSeen}exit 0`;
    for (let i = 0; i < 2; i++) await rig.run('--block', 'b1', '--leftovers', 'keep', 'sh', '-c', leave).run();
    expect(findSleepers(id)).toHaveLength(2);
    await rig.agentmux('kill-tree', '--block', 'b1').stdout(anything).stderr(anything).run();
    expect(findSleepers(id)).toEqual([]);
  });

  it('is refused while a run of it is alive, also if only its agent is', async () => {
    const rig = createRig();
    const running = rig.run('--block', 'b1', 'sh', '-c', `echo $$; exec sleep ${marker()}`).start();
    const [pid] = await running.seen(/^\d+/);
    await rig
      .run('--block', 'b1', 'true')
      .stderr(/^agentmux-run: block "b1" is running \(agentmux-run is pid/)
      .status(125)
      .run();
    running.kill('SIGKILL');
    await running.exited();
    await rig
      .run('--block', 'b1', 'true')
      .stderr(new RegExp(`its agent is pid ${pid}`))
      .status(125)
      .run();
    process.kill(Number(pid), 'SIGKILL');
    await waitFor('a run to be allowed', async () => {
      const { status } = await rig.run('--block', 'b1', 'true').start().ended();
      return status === 0;
    });
  });

  it('is a child of the block that it was started in, with a name of its own', async () => {
    const rig = createRig();
    const inner = `${process.execPath} ${join(process.cwd(), 'bin/agentmux-run.js')}`;
    const script = `${show}; ${inner} sh -c '${show}; exit 6'; echo "rc=$?"`;
    const { stdout } = await rig
      .run('--block', 'outer', 'sh', '-c', script)
      .stdout(/rc=6\n$/)
      .run();
    const [outer, child] = stdout.split('\n').map((line) => line.split(' ')[0]);
    expect(outer).toBe('outer');
    const records = readRecords(rig);
    expect(records.find((record) => record.id === child)?.parentId).toBe('outer');
    expect(records.find((record) => record.id === 'outer')?.parentId).toBeNull();
  });

  it('ends with its parent, and leaves its parent when it ends', async () => {
    const rig = createRig();
    const id = marker();
    const inner = `${process.execPath} ${join(process.cwd(), 'bin/agentmux-run.js')}`;
    const running = rig
      .run('--block', 'outer', 'sh', '-c', `${inner} --block inner sleep ${id} & wait; sleep ${id}`)
      .start();
    await waitFor('the inner agent', () => findSleepers(id).length === 1);
    await rig.agentmux('kill-tree', '--block', 'inner').stdout(anything).stderr(anything).run();
    await waitFor('the outer agent to go on', () => findSleepers(id).length === 1);
    const again = rig.run('--block', 'outer2', 'sh', '-c', `${inner} --block inner2 sleep ${id} & wait`).start();
    await waitFor('the second inner agent', () => findSleepers(id).length === 2);
    await rig.agentmux('kill-tree', '--yes', '--block', 'outer2').stdout(anything).stderr(anything).run();
    await again.exited();
    expect(findSleepers(id)).toHaveLength(1);
    running.kill('SIGTERM');
    await running.exited();
  });

  it('takes over a name that a host program set, and passes over one that is none', async () => {
    const rig = createRig();
    await rig.run('sh', '-c', 'echo $AGENTMUX_BLOCKID').env('AGENTMUX_BLOCKID', 'pane-7').stdout('pane-7\n').run();
    await rig
      .run('sh', '-c', 'echo $AGENTMUX_BLOCKID')
      .env('AGENTMUX_BLOCKID', '../evil')
      .stdout(/^sh-\w{4}\n$/)
      .stderr('agentmux-run: AGENTMUX_BLOCKID "../evil" is no block name, not used\n')
      .run();
  });

  it('has its own among twenty that start at once, and leaves nothing behind', async () => {
    const rig = createRig();
    const id = marker();
    const calls = Array.from({ length: 20 }, () =>
      rig
        .run('--leftovers', 'kill', '--quiet', 'sh', '-c', `setsid sleep ${id} >/dev/null 2>&1 & ${untilSeen}true`)
        .start(),
    );
    for (const call of calls) expect(await call.exited(60_000)).toBe(0);
    expect(findSleepers(id)).toEqual([]);
    const records = readRecords(rig);
    expect(new Set(records.map((record) => record.tag)).size).toBe(20);
    for (const { tracker, state } of records) {
      expect(state).toBe('ended');
      if (tracker.cgroupPath !== undefined) expect(() => readdirSync(tracker.cgroupPath ?? '')).toThrow(/ENOENT/);
    }
  });
});

describe('a run without a usable state directory', () => {
  const broken: readonly (readonly [string, (rig: Rig) => string])[] = [
    ['that cannot be made', () => '/proc/nowhere/state'],
    [
      'that is a file',
      (rig) => {
        writeFileSync(join(rig.directory, 'file'), '');
        return join(rig.directory, 'file');
      },
    ],
    ['that is relative', () => 'state'],
  ];

  it.each(broken)('%s still runs its command, tracked, and says so', async (_title, place) => {
    const rig = createRig();
    const id = marker();
    const call = rig.run('--leftovers', 'kill', 'sh', '-c', `setsid sleep ${id} >/dev/null 2>&1 & ${untilSeen}exit 5`);
    const { stderr } = await call.env('AGENTMUX_STATE_DIR', place(rig)).stderr(anything).status(5).run();
    expect(stderr).toMatch(/^agentmux-run: not recorded: /);
    expect(stderr).toMatch(/ended 1 process of sh-\w{4}: \d+ \(sleep/);
    expect(findSleepers(id)).toEqual([]);
  });

  itIf(isRoot, 'needs root', 'that another user owns is not trusted', async () => {
    const rig = createRig({ uid: 65534 });
    await rig.command('true').run();
    await rig
      .run('sh', '-c', 'exit 7')
      .env('AGENTMUX_STATE_DIR', '/root')
      .stderr(/^agentmux-run: not recorded: /)
      .status(7)
      .run();
  });
});

const groupReason = isNativeReader ? 'needs a cgroup that can be written' : notByPs('groups are of Linux');

describe('what --dry-run and --verbose tell', () => {
  it('says what would be done and does nothing', async () => {
    const rig = createRig({ tracker: 'scan' });
    const { stdout } = await rig.run('--dry-run', '--block', 'b1', 'sh', '-c', 'touch made').stdout(anything).run();
    expect(stdout).toMatch(/^block {8}b1 \(new\)$/m);
    expect(stdout).toMatch(/^executable {3}\/.*\/sh$/m);
    expect(stdout).toMatch(/^tracker {6}scan \(best effort\)$/m);
    expect(stdout).toMatch(/^ +forced: --tracker scan$/m);
    await rig.command('ls').run();
    expect(() => readRecords(rig)).toThrow(/ENOENT/);
    const document = await rig.run('--dry-run', '--json', 'sh').json<Record<string, unknown>>();
    expect(document).toMatchObject({ schemaVersion: 1, tracker: 'scan', parent: null, leftovers: 'report' });
  });

  it('tells the tracker and the reasons on stderr, nothing on stdout', async () => {
    const rig = createRig({ tracker: 'scan' });
    const { stderr } = await rig.run('--verbose', '--block', 'b1', 'true').stderr(anything).run();
    expect(stderr).toContain(
      'agentmux-run: block b1, tracker scan (best effort)\nagentmux-run: forced: --tracker scan\n',
    );
  });

  it('says when the tracker is not the one that was asked for', async () => {
    const line = /^agentmux-run: tracked by scan, not by job \(not-windows: this is \w+\): agentmux doctor\n$/;
    await createRig().run('--tracker', 'job', 'true').stderr(line).run();
    await createRig().run('--quiet', '--tracker', 'job', 'true').run();
    await createRig().run('--tracker', 'scan', 'true').run();
  });

  itIf(isRoot && isNativeReader, groupReason, 'starts what --require can have', async () => {
    await createRig().run('--require', 'cgroup', 'sh', '-c', 'exit 2').status(2).run();
    await createRig()
      .run('--dry-run', '--require', 'cgroup', '--tracker', 'scan', 'true')
      .stderr(/--require cgroup: not to be had here/)
      .status(125)
      .run();
    await createRig()
      .run('--require', 'cgroup', '--tracker', 'scan', 'true')
      .stderr(/forced: --tracker scan/)
      .status(125)
      .run();
  });
});
