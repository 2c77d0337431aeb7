import type { Member, TrackerRecord } from '../model/block.ts';
import type { Identity } from '../model/identity.ts';
import { isGone, type ProcessStat } from '../model/process.ts';
import {
  makeGroup,
  moveProcess,
  readCpuUsec,
  readOomKills,
  readPopulated,
  readProcsRecursive,
  removeGroup,
} from '../platform/linux/cgroup-fs.ts';
import type { Platform } from '../platform/platform.ts';
import { freezeAndWait, killGroupTree, thawAll } from './cgroup-kill.ts';
import { pause } from './pause.ts';
import { setNiceness } from './priority.ts';
import { type Tracker, TrackerError } from './tracker.ts';

export interface CgroupTrackerOptions {
  readonly record: TrackerRecord;
  readonly platform: Platform;
  /** Absolute directory of the group that holds the agent; undefined if it is gone. */
  readonly enclosure: string | undefined;
  /** Group of the wrapper, to return to after a spawn; undefined for a tracker that starts nothing. */
  readonly home?: string;
  /** True if this process is in the group already: each move costs a start some ms. */
  readonly isInside?: boolean;
}

/** Members are the processes of a cgroup v2 group of our own, its whole subtree included. */
export function createCgroupTracker(options: CgroupTrackerOptions): Tracker {
  const { platform } = options;
  let { enclosure, record, isInside = false } = options;

  const memberPids = () => (enclosure === undefined ? [] : readProcsRecursive(enclosure));

  function members(): Member[] {
    const seen = memberPids().map((pid) => ({ pid, stat: platform.readStat(pid) }));
    const listed = seen.some(({ stat }) => !stat) ? new Set(memberPids()) : undefined;
    return seen
      .filter(({ pid, stat }) => (stat ? !isGone(stat) : listed?.has(pid)))
      .map(({ pid, stat }) => toMember(pid, stat));
  }

  /** Members that may be signalled one by one: seen in the group, identified, and seen in it again. */
  function identified(): ProcessStat[] {
    const stats = memberPids().map((pid) => platform.readStat(pid));
    const again = new Set(memberPids());
    return stats.filter((stat) => stat !== undefined).filter((stat) => !isGone(stat) && again.has(stat.pid));
  }

  function toIdentity(stat: Pick<ProcessStat, 'pid' | 'startTicks'>): Identity {
    const { bootId, pidNamespace } = platform.host();
    return { pid: stat.pid, startTicks: stat.startTicks, bootId, pidNamespace };
  }

  const signal = (stat: ProcessStat, name: NodeJS.Signals) => platform.signal(toIdentity(stat), name);

  function enter(): void {
    if (isInside) return;
    const joined = enclosure === undefined ? 'gone' : moveProcess(process.pid, enclosure);
    if (joined === 'gone' || joined.status !== 'done') {
      throw new TrackerError('move-refused', `the group ${record.cgroupPath ?? ''} cannot be entered`);
    }
  }

  /** Back to our own group; if that is refused, the group stays ours and its members move to a group below it. */
  function leave(): void {
    const { home } = options;
    isInside = false;
    if (home === undefined || enclosure === undefined || moveProcess(process.pid, home).status === 'done') return;
    const inner = `${enclosure}/agent`;
    makeGroup(inner);
    for (let round = 0; round < 20; round += 1) {
      const outside = memberPidsOf(enclosure, inner);
      if (outside.length === 0) break;
      for (const pid of outside) moveProcess(pid, inner);
    }
    enclosure = inner;
    record = { ...record, cgroupPath: inner };
  }

  return {
    type: 'cgroup',
    confidence: 'high',
    get record() {
      return record;
    },
    spawnInside(spawn) {
      enter();
      try {
        return spawn();
      } finally {
        leave();
      }
    },
    assign(root) {
      if (enclosure === undefined || !platform.isAlive(root)) return;
      const moved = moveProcess(root.pid, enclosure);
      if (moved.status === 'refused') throw new TrackerError('move-refused', `moving ${root.pid}: ${moved.code}`);
    },
    memberPids,
    members,
    async killTree({ deadlineMs, spare = new Set() }) {
      if (enclosure === undefined) return [];
      await killGroupTree({ group: enclosure, deadlineMs, spare, identified, signal });
      return members().filter((member) => !spare.has(member.pid));
    },
    killPid(identity) {
      const isMember = identified().some(
        (stat) => stat.pid === identity.pid && stat.startTicks === identity.startTicks,
      );
      return isMember ? platform.signal(identity, 'SIGKILL') : 'not-member';
    },
    terminate() {
      if (enclosure === undefined) return false;
      thawAll(enclosure);
      const asked = identified();
      const sent = asked.filter((stat) => signal(stat, 'SIGTERM') === 'sent');
      for (const stat of sent) if (stat.state === 'T') signal(stat, 'SIGCONT');
      return sent.length > 0;
    },
    setFrozen(frozen) {
      // A process that freezes its own group never comes back to thaw it.
      if (enclosure === undefined || (frozen && memberPids().includes(process.pid))) return false;
      return freezeAndWait(enclosure, frozen);
    },
    setBelowNormalPriority: (on) => setNiceness(memberPids, on),
    cpuTimeNs() {
      const usec = enclosure === undefined ? undefined : readCpuUsec(enclosure);
      return usec === undefined ? undefined : usec * 1000;
    },
    oomKills: () => (enclosure === undefined ? undefined : readOomKills(enclosure)),
    dispose() {
      if (isInside) leave();
      if (enclosure !== undefined) removeWhenEmpty(enclosure);
    },
  };
}

/** What a block file says of a block in a group. */
export function cgroupRecord(fields: Pick<TrackerRecord, 'reasons' | 'cgroupPath' | 'scope'>): TrackerRecord {
  return { type: 'cgroup', confidence: 'high', subreaper: false, ...fields };
}

function toMember(pid: number, stat: ProcessStat | undefined): Member {
  return { pid, startTicks: stat?.startTicks, source: 'enclosure', confidence: 'high', escaped: false };
}

function memberPidsOf(group: string, inner: string): number[] {
  const within = new Set(readProcsRecursive(inner));
  return readProcsRecursive(group).filter((pid) => pid !== process.pid && !within.has(pid));
}

/** An exiting process keeps its group populated or busy (EBUSY) for a moment after it is no longer listed. */
function removeWhenEmpty(group: string): void {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const isPopulated = readPopulated(group);
    if (isPopulated === undefined || (isPopulated && attempt >= 3)) return;
    if (!isPopulated && removeGroup(group)) return;
    pause(1 << Math.min(attempt, 4));
  }
}
