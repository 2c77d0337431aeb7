import { setTimeout as delay } from 'node:timers/promises';
import type { MemberView } from '../trackers/inspect.ts';
import type { KillProgress, KillTarget } from './kill.ts';
import type { Ledger, SeenTable } from './ledger.ts';

/** How one kind of kill finds and forces its targets. */
export interface Attempt {
  /** Looks afresh: who is to be ended now. */
  readonly find: () => readonly MemberView[];
  /** Thaws what is frozen, so that a signal reaches it: in a frozen group TERM stays pending. */
  readonly wake?: () => void;
  /**
   * Sends KILL to all that live, by the strongest means, within `deadlineMs` from now. True if none of them can still be
   * dying, as far as that was seen: then they need not be waited for, only looked at.
   */
  readonly force: (ledger: Ledger, deadlineMs: number) => Promise<boolean>;
  /**
   * True where a look misses what replaces itself faster than it is taken: then `force`, which hunts for such, comes also
   * when all that was asked seems to have ended.
   */
  readonly hunts?: boolean;
  /** The table that the last `find` was answered from, if it read one. */
  readonly table?: () => SeenTable | undefined;
}

export interface TransactOptions {
  readonly graceMs: number;
  /** What asks to end. */
  readonly signal: NodeJS.Signals;
  readonly onProgress?: (progress: KillProgress) => void;
  readonly hurry?: AbortSignal;
}

/** How long KILL and its proof may take, ms: a process in an uninterruptible wait must not hold us for ever. */
export const CONFIRM_MS = 5000;

/** The second turn comes after this share of the grace, if the agent has not gone before. */
const SECOND_TURN = 0.625;

/**
 * One kill under one deadline: asks the agent, then the rest, forces what is left, and looks again until a look finds
 * nothing new and nothing alive. Fills the ledger; true if that state was reached.
 */
export async function transact(ledger: Ledger, attempt: Attempt, options: TransactOptions): Promise<boolean> {
  ledger.add(attempt.find());
  const deadline = performance.now() + options.graceMs;
  if (options.graceMs > 0) {
    const hasEnded = await askToEnd(ledger, attempt, options, deadline);
    if (hasEnded && attempt.hunts !== true) return true;
    ledger.add(attempt.find());
  }
  return forceToEnd(ledger, attempt, options);
}

async function askToEnd(
  ledger: Ledger,
  attempt: Attempt,
  options: TransactOptions,
  deadline: number,
): Promise<boolean> {
  const isAgent = (target: KillTarget): boolean => target.turn === 'agent';
  const secondTurn = deadline - options.graceMs * (1 - SECOND_TURN);
  attempt.wake?.();
  ledger.ask(options.signal, isAgent);
  await waitUntil(() => !ledger.waitable().some(isAgent), ledger, options, secondTurn, deadline);
  for (;;) {
    ledger.add(attempt.find());
    ledger.ask(options.signal);
    const hasEnded = await waitUntil(() => ledger.waitable().length === 0, ledger, options, deadline, deadline);
    if (!hasEnded) return false;
    const isNew = ledger.add(attempt.find());
    if (!isNew) return ledger.live().length === 0;
    if (options.hurry?.aborted || performance.now() >= deadline) return false;
  }
}

async function forceToEnd(ledger: Ledger, attempt: Attempt, options: TransactOptions): Promise<boolean> {
  const end = performance.now() + CONFIRM_MS;
  const patient = { ...options, hurry: undefined };
  for (;;) {
    const isOver = await attempt.force(ledger, end - performance.now());
    // A process needs a moment to die of KILL; past that moment the next round looks for what forked meanwhile.
    const until = Math.min(end, performance.now() + 200);
    if (!isOver) await waitUntil(() => ledger.waitable().length === 0, ledger, patient, until, 0);
    const isNew = ledger.add(attempt.find());
    const table = attempt.table?.();
    if (table !== undefined) ledger.learn(table);
    if (!isNew && ledger.live().length === 0) return true;
    if (!isNew && ledger.waitable().length === 0) return false;
    if (performance.now() >= end) return false;
  }
}

/** Polls, at first every few ms, until `isDone` or the time has come; tells once a second who is waited for. */
async function waitUntil(
  isDone: () => boolean,
  ledger: Ledger,
  options: TransactOptions,
  until: number,
  forceAt: number,
): Promise<boolean> {
  let tellAt = performance.now() + 500;
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    if (isDone()) return true;
    const now = performance.now();
    if (now >= until || options.hurry?.aborted) return false;
    if (options.onProgress !== undefined && now >= tellAt) {
      options.onProgress({ waitingFor: ledger.waitable(), forceInMs: Math.max(0, forceAt - now) });
      tellAt = now + 1000;
    }
    await delay(Math.min(pause, until - now));
  }
}
