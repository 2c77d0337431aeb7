import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessStat } from '../model/process.ts';
import type { SignalOutcome } from '../model/signal.ts';
import {
  killGroup,
  listGroups,
  readFrozen,
  readPopulated,
  readProcsRecursive,
  setFreeze,
} from '../platform/linux/cgroup-fs.ts';
import { pause } from './pause.ts';

export interface KillGroupOptions {
  /** Absolute directory of the group. */
  readonly group: string;
  readonly deadlineMs: number;
  readonly spare: ReadonlySet<number>;
  /** Members verified to be in the group. */
  identified(): ProcessStat[];
  /** Signals one, verified again. */
  signal(stat: ProcessStat, name: NodeJS.Signals): SignalOutcome;
}

/** Waits between two looks at who is left to be signalled, ms; the last is repeated. */
const STEPS = [1, 1, 2, 2, 4, 8, 10];
/** So many looks at an emptying group are 1 ms apart: each is one small read, and most groups are empty by then. */
const EAGER_LOOKS = 50;
/** `cgroup.kill` is written again after so long: a process may have been moved in meanwhile. */
const KILL_AGAIN_MS = 100;
const FREEZE_CAP_MS = 200;

/**
 * Ends all of a group and waits until it is empty or the time is over. By `cgroup.kill`, tried rather than guessed from
 * the kernel's version; where that is missing (before Linux 5.14), not ours to write, or would hit one to be spared:
 * freeze, signal until nothing new shows up, thaw, and again.
 */
export async function killGroupTree(options: KillGroupOptions): Promise<void> {
  const { group, spare } = options;
  const end = Date.now() + options.deadlineMs;
  const sparesMember = readProcsRecursive(group).some((pid) => spare.has(pid));
  if (!sparesMember) {
    while (killGroup(group).status === 'done') {
      if (await waitEmpty(group, Math.min(end, Date.now() + KILL_AGAIN_MS))) return;
      if (Date.now() >= end) return;
    }
  }
  await killOneByOne(options, end, !sparesMember);
}

/** Freezes or thaws the group and waits for it; false if the kernel refused. Thawing reaches groups below it too. */
export function freezeAndWait(group: string, frozen: boolean): boolean {
  if (!frozen) return thawAll(group);
  if (setFreeze(group, true).status !== 'done') return false;
  for (const end = Date.now() + FREEZE_CAP_MS; readFrozen(group) === false && Date.now() < end; ) pause(1);
  return true;
}

/** Thaws the group and all below it, those that a member froze too: TERM stays pending in a frozen group. */
export function thawAll(group: string): boolean {
  const results = listGroups(group).map((one) => setFreeze(one, false));
  return results.every((result) => result.status === 'done' || result.status === 'gone');
}

async function killOneByOne(options: KillGroupOptions, end: number, mayFreeze: boolean): Promise<void> {
  const { group, spare } = options;
  const denied = new Set<number>();
  const targets = () => options.identified().filter((stat) => !spare.has(stat.pid) && !denied.has(stat.pid));
  for (let round = 0; ; round += 1) {
    if (mayFreeze) freezeAndWait(group, true);
    try {
      signalUntilStable(options, targets, denied);
    } finally {
      thawAll(group);
    }
    if (targets().length === 0 || Date.now() >= end) return;
    await sleep(STEPS[Math.min(round, STEPS.length - 1)]);
  }
}

function signalUntilStable(options: KillGroupOptions, targets: () => ProcessStat[], denied: Set<number>): void {
  const signalled = new Set<string>();
  for (let quiet = 0, passes = 0; quiet < 2 && passes < 200; passes += 1) {
    const fresh = targets().filter((stat) => !signalled.has(`${stat.pid}:${stat.startTicks}`));
    quiet = fresh.length === 0 ? quiet + 1 : 0;
    for (const stat of fresh) {
      signalled.add(`${stat.pid}:${stat.startTicks}`);
      if (options.signal(stat, 'SIGKILL') === 'denied') denied.add(stat.pid);
    }
  }
}

async function waitEmpty(group: string, end: number): Promise<boolean> {
  for (let step = 0; readPopulated(group) === true; step += 1) {
    if (Date.now() >= end) return false;
    await sleep(step < EAGER_LOOKS ? 1 : 10);
  }
  return true;
}
