import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import type { TrackerType } from '../../src/model/block.ts';
import type { Identity } from '../../src/model/identity.ts';
import { createLinuxPlatform } from '../../src/platform/linux/linux-platform.ts';
import { planTrackers } from '../../src/trackers/select.ts';
import type { Tracker } from '../../src/trackers/tracker.ts';
import { endProcess } from '../helpers/processes.ts';
import { isAlive, readRow, readTable } from '../helpers/procfs.ts';
import { waitFor } from '../helpers/wait-for.ts';

export const platform = createLinuxPlatform();

/** A tracker of the wanted type with an agent in it, ended and removed when the test has finished. */
export interface Tracked {
  readonly tracker: Tracker;
  readonly child: ChildProcess;
  readonly root: Identity;
  readonly tag: string;
  /** Pids of the agent's script by the names it prints: `name pid`. */
  pidOf(name: string): Promise<number>;
}

/** Words of a shell script that leave a child nobody waits for, once the shell has become `sleep` by exec. */
export const zombie = (name: string): string =>
  `(while [ "$(cat /proc/$$/comm)" != sleep ]; do :; done) & echo ${name} $!`;

/** Starts a shell script as the agent, inside the tracker from its first instruction. */
export async function track(type: TrackerType, script: string, env: NodeJS.ProcessEnv = {}): Promise<Tracked> {
  const tag = randomBytes(16).toString('hex');
  const wrapper = identify(process.pid);
  const [plan] = planTrackers({ platform, env: {}, forced: type, kind: 'agent', blockId: 'contract', tag, wrapper });
  if (plan?.record.type !== type) throw new Error(`no ${type} here: ${JSON.stringify(plan?.record.reasons)}`);
  const tracker = await plan.create();
  const child = tracker.spawnInside(() =>
    spawn('bash', ['-c', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env, AGENTMUX_TAG: tag },
    }),
  );
  const root = identify(child.pid);
  tracker.assign(root);
  let told = '';
  child.stdout?.on('data', (chunk) => {
    told += chunk;
  });
  onTestFinished(async () => {
    await tracker.killTree({ deadlineMs: 5000 });
    for (const match of told.matchAll(/^\w+ (\d+)$/gm)) if (isAlive(Number(match[1]))) endProcess(Number(match[1]));
    if (isAlive(root.pid)) endProcess(root.pid);
    await waitFor('the group to go', () => {
      tracker.dispose();
      return tracker.memberPids().length === 0;
    });
    const { cgroupPath } = tracker.record;
    if (cgroupPath !== undefined) expect(() => rmSync(`${cgroupPath}/cgroup.procs`)).toThrow(/ENOENT/);
  });
  const pidOf = (name: string) =>
    waitFor(`"${name}" of the script`, () => {
      const pid = new RegExp(`^${name} (\\d+)$`, 'm').exec(told)?.[1];
      return pid === undefined ? undefined : Number(pid);
    });
  return { tracker, child, root, tag, pidOf };
}

export function identify(pid: number | undefined): Identity {
  const identity = pid === undefined ? undefined : platform.identify(pid);
  if (!identity) throw new Error(`process ${pid} cannot be identified`);
  return identity;
}

/** What every tracker that tracks must do. */
export function describeContract(type: 'cgroup' | 'scan'): void {
  it('holds the agent before its first instruction, its children and theirs', async () => {
    const { tracker, root, pidOf } = await track(
      type,
      'sleep 300 & echo child $!; (sleep 300 & echo deep $!; wait) & wait',
    );
    const expected = [root.pid, await pidOf('child'), await pidOf('deep')];
    expect(tracker.memberPids()).toEqual(expect.arrayContaining(expected));
    const members = tracker.members();
    expect(members.map((member) => member.pid)).toEqual(expect.arrayContaining(expected));
    expect(members.find((member) => member.pid === root.pid)?.startTicks).toBe(root.startTicks);
    expect(new Set(members.map((member) => member.confidence))).toEqual(new Set([tracker.confidence]));
    expect(members.some((member) => member.pid === process.pid)).toBe(false);
  });

  it('keeps a member that leaves its session and its parent', async () => {
    const { tracker, pidOf } = await track(type, `setsid bash -c 'sleep 300 & echo orphan $!' ; sleep 300`);
    const orphan = await pidOf('orphan');
    await waitFor('the orphan to be adopted', () => !isAlive(readRow(orphan)?.ppid ?? 0) || readRow(orphan)?.ppid);
    expect(tracker.memberPids()).toContain(orphan);
  });

  it('does not list what has ended and has not been waited for', async () => {
    const { tracker, pidOf } = await track(type, `${zombie('zombie')}; exec sleep 300`);
    const pid = await pidOf('zombie');
    await waitFor('the zombie', () => readRow(pid)?.state === 'Z');
    expect(tracker.memberPids()).not.toContain(pid);
    expect(await tracker.killTree({ deadlineMs: 3000 })).toEqual([]);
  });

  it('ends members that ignore TERM, are stopped, or have a session of their own, and says that none is left', async () => {
    const script = `
      trap '' TERM
      setsid bash -c 'trap "" TERM HUP INT; echo deaf $$; while :; do sleep 1; done' &
      sleep 300 & kill -STOP $!; echo stopped $!
      setsid sleep 300 & echo apart $!
      wait`;
    const { tracker, root, pidOf } = await track(type, script);
    const pids = [root.pid, await pidOf('deaf'), await pidOf('stopped'), await pidOf('apart')];
    expect(await tracker.killTree({ deadlineMs: 5000 })).toEqual([]);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(tracker.members()).toEqual([]);
  });

  // No exec in the shell: a signal that bash has noted and not yet acted on is lost with it.
  it('asks members to end, and wakes a stopped one so that it can', async () => {
    const { tracker, root, pidOf } = await track(type, 'sleep 300 & kill -STOP $!; echo stopped $!; wait');
    const stopped = await pidOf('stopped');
    expect(tracker.terminate()).toBe(true);
    await waitFor('both to end', () => ![root.pid, stopped].some(isAlive));
    expect(tracker.terminate()).toBe(false);
  });

  it('kills one member and nothing that is none', async () => {
    const { tracker, pidOf } = await track(type, 'sleep 300 & echo child $!; wait; sleep 300');
    const child = identify(await pidOf('child'));
    const stranger = spawn('sleep', ['300'], { stdio: 'ignore' });
    onTestFinished(() => void stranger.kill('SIGKILL'));
    // A child of ours is a member of a scan, since ours are the orphans of the tree: so one that is nobody's.
    const notOurs = identify(readTable().find((row) => row.ppid <= 1 && row.pid > 1)?.pid ?? process.ppid);
    expect(tracker.killPid(notOurs)).toBe('not-member');
    expect(tracker.killPid({ ...child, startTicks: child.startTicks - 1 })).toBe('not-member');
    expect(isAlive(child.pid)).toBe(true);
    expect(tracker.killPid(child)).toBe('sent');
    await waitFor('it to end', () => !isAlive(child.pid));
  });

  it('spares whom it is told to spare and ends the rest', async () => {
    const { tracker, root, pidOf } = await track(type, 'sleep 300 & echo spared $!; sleep 300 & echo other $!; wait');
    const spared = await pidOf('spared');
    const other = await pidOf('other');
    expect(await tracker.killTree({ deadlineMs: 3000, spare: new Set([spared]) })).toEqual([]);
    expect([root.pid, other, spared].filter(isAlive)).toEqual([spared]);
    expect(tracker.memberPids()).toEqual([spared]);
  });

  it('holds all members still and lets them go on', async () => {
    const { tracker, root } = await track(type, 'while :; do :; done');
    expect(tracker.setFrozen(true)).toBe(true);
    const used = () => platform.readStat(root.pid)?.cpuMs;
    // A stop signal is acted on when the process next runs.
    await waitFor('it to stand', () => type === 'cgroup' || readRow(root.pid)?.state === 'T');
    const before = used();
    for (let end = performance.now() + 50; performance.now() < end; );
    expect(used()).toBe(before);
    expect(tracker.setFrozen(false)).toBe(true);
    await waitFor('it to run again', () => used() !== before);
  });

  it('lowers the priority of the members', async () => {
    const { tracker, root, pidOf } = await track(type, 'echo ready $$; sleep 300 & echo child $!; wait');
    const child = await pidOf('child');
    expect(tracker.setBelowNormalPriority(true)).toBe(true);
    const { getPriority } = await import('node:os');
    expect([root.pid, child].map((pid) => getPriority(pid))).toEqual([10, 10]);
  });

  it('throws what the start of the agent throws, and we are where we were', async () => {
    const { tracker } = await track(type, 'sleep 300');
    expect(() =>
      tracker.spawnInside(() => {
        throw new Error('no such program');
      }),
    ).toThrow('no such program');
    expect(tracker.memberPids()).not.toContain(process.pid);
  });
}
