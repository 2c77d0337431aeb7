import { setTimeout as sleep, setImmediate as yieldToLoop } from 'node:timers/promises';
import type { Identity } from '../model/identity.ts';
import { isGone, type ProcessStat } from '../model/process.ts';
import type { Platform } from '../platform/platform.ts';

/** The pids in use, for a chase (platform/linux/pid-space.ts where there is one). */
export interface ChasePids {
  /** Highest first. */
  list(): number[];
  /** The pid given out last; undefined where that is unknown. */
  last(): number | undefined;
}

export interface ChaseOptions {
  readonly platform: Platform;
  readonly pids: ChasePids;
  /** Members that are known already, killed in a first volley. */
  readonly known: readonly Identity[];
  /** True if the process is a member for itself: by identity or tag. Asked once for each new process. */
  isMember(stat: ProcessStat): boolean;
  /** Live processes whose children are members though they are none: the wrapper. */
  readonly adopters: readonly Identity[];
  /** Never signalled. */
  readonly spare: ReadonlySet<number>;
  /** Nothing that started earlier is a member. */
  readonly sinceTicks: number;
  readonly deadlineMs: number;
}

/** Passes without a live member, one after another, after which nothing is thought to be left. */
const QUIET_PASSES = 4;
/** What a quiet pass counts if processes were born in it that had gone before we could see whose they were. */
const BLIND_PASS = 0.25;
/** Pids below the last given one that are looked at between two reads. */
const PROBE_DEPTH = 12;
/** Passes after which processes that were no members are looked at anew. */
const FORGET_EVERY = 4;

/**
 * SIGKILL to members as they are seen, newest first, until four passes find none. Collecting a list first and
 * signalling it later loses against processes that replace themselves every few milliseconds; checking and killing each
 * at once, with a look at the pid given out last between two reads, does not.
 */
export async function chase(options: ChaseOptions): Promise<void> {
  const hunt = createHunt(options);
  const end = Date.now() + options.deadlineMs;
  hunt.volley(end);
  let quiet = 0;
  for (let pass = 1; quiet < QUIET_PASSES && Date.now() < end; pass += 1) {
    const seen = hunt.pass(end);
    quiet = seen.live > 0 ? 0 : quiet + (seen.missed > 0 ? BLIND_PASS : 1);
    if (pass % FORGET_EVERY === 0) hunt.forget();
    // Nothing new and somebody still dying: give the processor to them. Else only let our own events run.
    if (seen.killed === 0 && seen.live > 0) await sleep(2);
    else await yieldToLoop();
  }
}

interface PassResult {
  /** Signalled in this pass. */
  killed: number;
  /** Members that lived when they were looked at, those that may not be signalled left out. */
  live: number;
  /** Processes born and gone unseen. */
  missed: number;
}

function createHunt(options: ChaseOptions) {
  const { platform, pids, spare } = options;
  const { bootId, pidNamespace } = platform.host();
  /** Start time of each member by pid, the dead included: their children are members. */
  const members = new Map<number, number>();
  const denied = new Set<number>();
  let strangers = new Set<number>();
  let lastProbed = 0;
  let result: PassResult = { killed: 0, live: 0, missed: 0 };

  for (const adopter of options.adopters) members.set(adopter.pid, adopter.startTicks);
  const untouchable = new Set([...spare, ...options.adopters.map((adopter) => adopter.pid), process.pid]);
  /** Start time of each that was signalled, by pid. */
  const signalled = new Map<number, number>();

  function volley(end: number): void {
    for (const identity of [...options.known].sort((a, b) => b.startTicks - a.startTicks || b.pid - a.pid)) {
      members.set(identity.pid, identity.startTicks);
      if (!untouchable.has(identity.pid)) kill(identity.pid, identity.startTicks);
      if (Date.now() >= end) return;
    }
  }

  function pass(end: number): PassResult {
    result = { killed: 0, live: 0, missed: 0 };
    for (const pid of pids.list()) {
      if (strangers.has(pid)) continue;
      look(pid, 0);
      probe();
      if (Date.now() >= end) break;
    }
    probe();
    return result;
  }

  /** Processes born since the last look. */
  function probe(): void {
    const last = pids.last();
    if (last === undefined || last === lastProbed) return;
    // The first look, and one after the pids began anew, cannot tell how many were given out.
    const born = lastProbed > 0 && last > lastProbed ? last - lastProbed : 0;
    const depth = born > 0 ? Math.min(PROBE_DEPTH, born) : PROBE_DEPTH;
    result.missed += Math.max(0, born - depth);
    lastProbed = last;
    for (let pid = last; pid > last - depth && pid > 1; pid -= 1) {
      strangers.delete(pid);
      if (!look(pid, 0) && born > 0 && !strangers.has(pid)) result.missed += 1;
    }
  }

  function look(pid: number, depth: number): boolean {
    if (pid <= 1) return false;
    const stat = platform.readStat(pid);
    if (!stat || isGone(stat)) return false;
    if (!belongs(stat, depth)) {
      strangers.add(pid);
      return false;
    }
    members.set(pid, stat.startTicks);
    if (untouchable.has(pid) || denied.has(pid)) return true;
    result.live += 1;
    if (signalled.get(pid) !== stat.startTicks) kill(pid, stat.startTicks);
    return true;
  }

  function belongs(stat: ProcessStat, depth: number): boolean {
    if (members.get(stat.pid) === stat.startTicks) return true;
    if (stat.startTicks < options.sinceTicks) return false;
    if (spare.has(stat.pid)) return false;
    return options.isMember(stat) || isChildOfMember(stat, depth);
  }

  function isChildOfMember(stat: ProcessStat, depth: number): boolean {
    const known = members.get(stat.ppid);
    if (known === undefined) return depth < 64 && !strangers.has(stat.ppid) && look(stat.ppid, depth + 1);
    // While the child names this parent, the parent has not been waited for, so its pid cannot be another's.
    if (known > stat.startTicks || platform.readStat(stat.ppid)?.startTicks !== known) return false;
    return platform.readStat(stat.pid)?.ppid === stat.ppid;
  }

  function kill(pid: number, startTicks: number): void {
    const outcome = platform.signal({ pid, startTicks, bootId, pidNamespace }, 'SIGKILL');
    signalled.set(pid, startTicks);
    if (outcome === 'sent') result.killed += 1;
    if (outcome === 'denied') {
      denied.add(pid);
      result.live -= 1;
    }
  }

  function forget(): void {
    strangers = new Set();
  }

  return { volley, pass, forget };
}
