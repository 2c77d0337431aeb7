import { setTimeout as delay } from 'node:timers/promises';
import type { MemberView } from '../trackers/inspect.ts';
import type { Tracker } from '../trackers/tracker.ts';
import { ignoreSignals } from './ignore-signals.ts';
import type { Ledger } from './ledger.ts';

/** Where a part of a block is killed. */
export interface PartWorld {
  readonly tracker: Tracker;
  readonly mayFreeze?: boolean;
}

/** So many looks in a row must find nothing: a fork under way when the first one was read shows in the next. */
const QUIET_LOOKS = 2;

/**
 * Sends KILL to what `find` answers, again and again, until looks find nothing that lives. The block stands still
 * meanwhile where it can be frozen (a frozen process dies of KILL, cgroups(7) "cgroup.freeze"), so that nothing is
 * started faster than it is killed; it is thawed whatever happens. True if the looks came up empty in time.
 */
export async function killUntilStable(
  world: PartWorld,
  ledger: Ledger,
  find: () => readonly MemberView[],
  deadlineMs: number,
): Promise<boolean> {
  // Ended half way we would leave the agent frozen for good.
  const restore = ignoreSignals();
  try {
    if (world.mayFreeze === true) world.tracker.setFrozen(true);
    return await chase(ledger, find, performance.now() + deadlineMs);
  } finally {
    if (world.mayFreeze === true) world.tracker.setFrozen(false);
    restore();
  }
}

async function chase(ledger: Ledger, find: () => readonly MemberView[], end: number): Promise<boolean> {
  let quiet = 0;
  while (performance.now() < end) {
    const isNew = ledger.add(find());
    ledger.kill();
    const isQuiet = !isNew && ledger.waitable().length === 0;
    quiet = isQuiet ? quiet + 1 : 0;
    if (quiet >= QUIET_LOOKS) return true;
    await delay(2);
  }
  return false;
}
