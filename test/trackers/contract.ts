import { expect, it } from 'vitest';
import type { Identity } from '../../src/model/identity.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Tracker } from '../../src/trackers/tracker.ts';
import { itIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** An agent in a tracker, ended and removed when the test has finished. */
export interface Contracted {
  readonly tracker: Tracker;
  readonly root: Identity;
  /** Pid of what the agent started, by its name in AgentKind. */
  pidOf(name: string): Promise<number>;
}

/** What the agents of the suite start; the names are those that `pidOf` knows. */
export type AgentKind =
  /** `child`, and `deep` in a shell: an ordinary tree. */
  | 'family'
  /** `orphan`, in a session of its own, and `maker`, that started it and has ended or is about to. */
  | 'orphan'
  /** `ended`, which nobody has waited for. */
  | 'zombie'
  /** `deaf` to requests to end, `stopped`, and `apart` in a session of its own. */
  | 'stubborn'
  /** `stopped`: stands still. */
  | 'stopped'
  /** `one` and `two`. */
  | 'pair'
  /** Computes without end. */
  | 'busy';

/** A system that the suite runs on, with one kind of tracker. */
export interface ContractWorld {
  readonly platform: Platform;
  /** Longest wait for anything, ms. */
  readonly capMs: number;
  /** Starts such an agent inside the tracker before its first instruction. */
  start(kind: AgentKind): Promise<Contracted>;
  isAlive(pid: number): boolean;
  /** A process that is no member. */
  stranger(): Identity;
  /** True if it stands still, as far as the system tells. */
  stands(pid: number): boolean;
  /** True if it yields to others now. */
  isBelowNormal(pid: number): boolean;
  /** Why a part of the contract means nothing here. */
  readonly without: Partial<Record<'requests' | 'freezing' | 'zombies', string>>;
}

/** What every tracker that tracks must do. */
export function describeContract(world: ContractWorld): void {
  const { platform, isAlive, without, capMs } = world;
  const killAll = (tracker: Tracker) => tracker.killTree({ deadlineMs: capMs / 2 });
  const identify = (pid: number): Identity => {
    const identity = platform.identify(pid);
    if (!identity) throw new Error(`process ${pid} cannot be identified`);
    return identity;
  };

  it('holds the agent before its first instruction, its children and theirs', async () => {
    const { tracker, root, pidOf } = await world.start('family');
    const expected = [root.pid, await pidOf('child'), await pidOf('deep')];
    expect(tracker.memberPids()).toEqual(expect.arrayContaining(expected));
    const members = tracker.members();
    expect(members.map((member) => member.pid)).toEqual(expect.arrayContaining(expected));
    expect(members.find((member) => member.pid === root.pid)?.startTicks).toBe(root.startTicks);
    expect(new Set(members.map((member) => member.confidence))).toEqual(new Set([tracker.confidence]));
    expect(members.some((member) => member.pid === process.pid)).toBe(false);
  });

  it('keeps a member that leaves its session and its parent', async () => {
    const { tracker, pidOf } = await world.start('orphan');
    const orphan = await pidOf('orphan');
    const maker = await pidOf('maker');
    await waitFor('its parent to end', () => !isAlive(maker), capMs);
    expect(tracker.memberPids()).toContain(orphan);
  });

  itIf(
    without.zombies === undefined,
    without.zombies ?? '',
    'does not list what has ended and has not been waited for',
    async () => {
      const { tracker, pidOf } = await world.start('zombie');
      const ended = await pidOf('ended');
      await waitFor('the zombie', () => !isAlive(ended) && platform.readStat(ended) !== undefined, capMs);
      expect(tracker.memberPids()).not.toContain(ended);
      expect(await killAll(tracker)).toEqual([]);
    },
  );

  it('ends members that ignore TERM, are stopped, or have a session of their own, and says that none is left', async () => {
    const { tracker, root, pidOf } = await world.start('stubborn');
    const pids = [root.pid, await pidOf('deaf'), await pidOf('stopped'), await pidOf('apart')];
    expect(await killAll(tracker)).toEqual([]);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(tracker.members()).toEqual([]);
  });

  const asks = without.requests === undefined;
  itIf(asks, without.requests ?? '', 'asks members to end, and wakes a stopped one so that it can', async () => {
    const { tracker, root, pidOf } = await world.start('stopped');
    const stopped = await pidOf('stopped');
    expect(tracker.terminate()).toBe(true);
    await waitFor('both to end', () => ![root.pid, stopped].some(isAlive), capMs);
    expect(tracker.terminate()).toBe(false);
  });
  if (!asks)
    it('says that there is no way to ask members to end', async () => {
      const { tracker, root } = await world.start('busy');
      expect(tracker.terminate()).toBe(false);
      expect(isAlive(root.pid)).toBe(true);
    });

  it('kills one member and nothing that is none', async () => {
    const { tracker, pidOf } = await world.start('pair');
    const one = identify(await pidOf('one'));
    expect(tracker.killPid(world.stranger())).toBe('not-member');
    expect(tracker.killPid({ ...one, startTicks: one.startTicks - 1 })).toBe('not-member');
    expect(isAlive(one.pid)).toBe(true);
    expect(tracker.killPid(one)).toBe('sent');
    await waitFor('it to end', () => !isAlive(one.pid), capMs);
    expect(isAlive(await pidOf('two'))).toBe(true);
  });

  it('spares whom it is told to spare and ends the rest', async () => {
    const { tracker, root, pidOf } = await world.start('pair');
    const [one, two] = [await pidOf('one'), await pidOf('two')];
    expect(await tracker.killTree({ deadlineMs: capMs / 2, spare: new Set([one]) })).toEqual([]);
    expect([root.pid, one, two].filter(isAlive)).toEqual([one]);
    expect(tracker.memberPids()).toEqual([one]);
  });

  const freezes = without.freezing === undefined;
  itIf(freezes, without.freezing ?? '', 'holds all members still and lets them go on', async () => {
    const { tracker, root } = await world.start('busy');
    expect(tracker.setFrozen(true)).toBe(true);
    const used = () => platform.readStat(root.pid)?.cpuMs;
    // A stop signal is acted on when the process next runs.
    await waitFor('it to stand', () => world.stands(root.pid), capMs);
    const before = used();
    for (let end = performance.now() + 50; performance.now() < end; );
    expect(used()).toBe(before);
    expect(tracker.setFrozen(false)).toBe(true);
    await waitFor('it to run again', () => used() !== before, capMs);
  });
  if (!freezes)
    it('says that it cannot hold members still', async () => {
      const { tracker } = await world.start('busy');
      expect(tracker.setFrozen(true)).toBe(false);
    });

  it('lowers the priority of the members', async () => {
    const { tracker, root, pidOf } = await world.start('pair');
    const pids = [root.pid, await pidOf('one')];
    expect(pids.some(world.isBelowNormal)).toBe(false);
    tracker.setBelowNormalPriority(true);
    expect(pids.every(world.isBelowNormal)).toBe(true);
  });

  it('throws what the start of the agent throws, and we are where we were', async () => {
    const { tracker } = await world.start('busy');
    expect(() =>
      tracker.spawnInside(() => {
        throw new Error('no such program');
      }),
    ).toThrow('no such program');
    expect(tracker.memberPids()).not.toContain(process.pid);
  });
}
