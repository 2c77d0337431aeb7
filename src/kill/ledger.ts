import { isGone, type ProcessStat } from '../model/process.ts';
import type { SignalOutcome } from '../model/signal.ts';
import type { Platform } from '../platform/platform.ts';
import type { MemberView } from '../trackers/inspect.ts';
import type { KillReportRow, KillResult, KillTarget } from './kill.ts';

/** What was done to one target so far. */
interface Entry {
  readonly target: KillTarget;
  asked: boolean;
  signalled: boolean;
  forced: boolean;
  gone: boolean;
  outcome: SignalOutcome | undefined;
}

/** The table of processes of one moment, by pid. */
export interface SeenTable {
  stat(pid: number): ProcessStat | undefined;
}

/** Makes targets of members that are seen for the first time. */
export type Describe = (members: readonly MemberView[]) => readonly KillTarget[];

/**
 * The book of one kill: every target that was ever found, what it was sent, and whether it lives. The only place that
 * signals, always by verified identity.
 */
export class Ledger {
  readonly #platform: Platform;
  readonly #describe: Describe;
  readonly #entries = new Map<string, Entry>();
  /** Pids that the last look still listed: all that is known of those without an identity. */
  #listed: ReadonlySet<number> = new Set();

  constructor(platform: Platform, describe: Describe) {
    this.#platform = platform;
    this.#describe = describe;
  }

  /** Takes in what a look has found; true if any of it is new. */
  add(found: readonly MemberView[]): boolean {
    this.#listed = new Set(found.map((member) => member.pid));
    const unknown = found.filter((member) => !this.has(member.pid, member.startTicks));
    for (const target of this.#describe(unknown)) {
      const key = keyOf(target.pid, target.identity?.startTicks);
      this.#entries.set(key, {
        target,
        asked: false,
        signalled: false,
        forced: false,
        gone: false,
        outcome: undefined,
      });
    }
    return unknown.length > 0;
  }

  /** Takes in who had ended by a look at the table that was taken just now: spares one look at each of them. */
  learn(look: SeenTable): void {
    for (const entry of this.#entries.values()) {
      const { identity, pid } = entry.target;
      if (entry.gone || identity === undefined) continue;
      const stat = look.stat(pid);
      entry.gone = stat === undefined || isGone(stat) || stat.startTicks !== identity.startTicks;
    }
  }

  /** True for a process that is a target already, by identity. */
  has(pid: number, startTicks: number | undefined): boolean {
    return this.#entries.has(keyOf(pid, startTicks));
  }

  /** The targets that live now. */
  live(): KillTarget[] {
    return this.#lookAtLive().map((entry) => entry.target);
  }

  /** The targets that live and that we may signal: who can be waited for. */
  waitable(): KillTarget[] {
    return this.#lookAtLive()
      .filter((entry) => entry.outcome !== 'denied')
      .map((entry) => entry.target);
  }

  /** Sends the signal once to each target that lives, was not asked yet and passes; wakes the stopped, so that handlers run. */
  ask(signal: NodeJS.Signals, passes: (target: KillTarget) => boolean = () => true): void {
    for (const entry of this.#lookAtLive()) {
      if (entry.asked || !passes(entry.target)) continue;
      const { identity, pid } = entry.target;
      if (identity === undefined) continue;
      entry.outcome = this.#platform.signal(identity, signal);
      entry.asked = entry.outcome !== 'gone';
      const state = entry.outcome === 'sent' ? this.#platform.readStat(pid)?.state : undefined;
      if (state === 'T' || state === 't') this.#platform.signal(identity, 'SIGCONT');
    }
  }

  /** Sends a signal that is not meant to end anything to each target that lives. */
  signal(signal: NodeJS.Signals): void {
    for (const entry of this.#lookAtLive()) {
      if (entry.target.identity === undefined) continue;
      entry.outcome = this.#platform.signal(entry.target.identity, signal);
      entry.signalled = entry.outcome === 'sent';
    }
  }

  /** Notes that KILL reaches every target that lives now, before an enclosure sends it. */
  markForced(): void {
    for (const entry of this.#lookAtLive()) entry.forced = true;
  }

  /** Sends KILL to each target that passes and lives, the others are not looked at; how many it was sent to. */
  kill(passes: (target: KillTarget) => boolean = () => true): number {
    let sent = 0;
    for (const entry of this.#lookAtLive(passes)) {
      if (entry.target.identity === undefined) continue;
      entry.outcome = this.#platform.signal(entry.target.identity, 'SIGKILL');
      if (entry.outcome !== 'sent') continue;
      entry.forced = true;
      sent += 1;
    }
    return sent;
  }

  /** What became of each target, in the order in which they were found, by a last look at each. */
  rows(): KillReportRow[] {
    this.#lookAtLive();
    return [...this.#entries.values()].map((entry) => ({
      ...entry.target,
      result: judge(entry),
      detail: entry.gone || entry.signalled ? undefined : this.#explain(entry),
    }));
  }

  #lookAtLive(passes: (target: KillTarget) => boolean = () => true): Entry[] {
    const live: Entry[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.gone || !passes(entry.target)) continue;
      const { identity, pid } = entry.target;
      entry.gone = identity === undefined ? !this.#listed.has(pid) : !this.#platform.isAlive(identity);
      if (!entry.gone) live.push(entry);
    }
    return live;
  }

  #explain(entry: Entry): string {
    const { pid, uid } = entry.target;
    if (entry.outcome === 'denied') return uid === undefined ? 'not permitted' : `not permitted, owner uid ${uid}`;
    const state = this.#platform.readStat(pid)?.state;
    if (state === undefined) return 'cannot be looked at';
    return state === 'D' ? 'state D, in an uninterruptible wait' : `state ${state}`;
  }
}

function keyOf(pid: number, startTicks: number | undefined): string {
  return `${pid}:${startTicks ?? '?'}`;
}

function judge(entry: Entry): KillResult {
  if (entry.signalled) return 'signalled';
  if (!entry.gone) return entry.outcome === 'denied' ? 'denied' : 'survived';
  if (entry.forced) return 'killed';
  return entry.asked ? 'exited' : 'already-gone';
}
