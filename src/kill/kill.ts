/**
 * The words of the kill transaction. This folder decides what is signalled, in which order, and says what became of it;
 * how a member is found is the trackers' part, how a report looks is the commands'.
 */
import type { Identity } from '../model/identity.ts';

/** What became of one target of a kill. */
export type KillResult =
  /** Ended on the first signal, or by itself meanwhile. */
  | 'exited'
  /** Ended by KILL. */
  | 'killed'
  /** It had ended before anything was signalled. */
  | 'already-gone'
  /** It was sent a signal that was not meant to end it, and nothing more. */
  | 'signalled'
  /** The system refused. */
  | 'denied'
  /** It lives, verified by looking again. */
  | 'survived';

/** One process of a kill plan. */
export interface KillTarget {
  readonly pid: number;
  /** Undefined if the process is listed by the enclosure but cannot be looked at: only the enclosure can end it. */
  readonly identity: Identity | undefined;
  /** Untrusted text: argv quoted as a shell would need it, `[comm]` where there is none, empty if nothing is known. */
  readonly command: string;
  /** True if secrets in the command were replaced. */
  readonly redacted: boolean;
  readonly ports: readonly number[];
  /** `agent` gets the signal first; `rest` at 5/8 of the grace or when the agent has gone. */
  readonly turn: 'agent' | 'rest';
  readonly uid: number | undefined;
  /** True if it left the enclosure of its block. */
  readonly escaped: boolean;
}

export interface KillReportRow extends KillTarget {
  readonly result: KillResult;
  /** Why not, in words, for `denied` and `survived` (owner, state D …). */
  readonly detail: string | undefined;
}

/** What a kill did; `ok` only if everything was verified gone. */
export interface KillReport {
  readonly rows: readonly KillReportRow[];
  /** What left the enclosure and carries the block's tag alone: listed, not ended without `escaped`. */
  readonly leftOut: readonly KillTarget[];
  /** What is kept, and so was not ended. */
  readonly kept: readonly KillTarget[];
  readonly ok: boolean;
}

/** What a kill would do: printed by a dry run. */
export interface KillPlan {
  readonly targets: readonly KillTarget[];
  readonly leftOut: readonly KillTarget[];
  readonly kept: readonly KillTarget[];
}

/** Who is waited for, told while a kill takes its time. */
export interface KillProgress {
  readonly waitingFor: readonly KillTarget[];
  /** Until KILL, ms; 0 once it was sent. */
  readonly forceInMs: number;
}
