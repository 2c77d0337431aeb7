import type { Identity } from '../model/identity.ts';

/** What became of one target of a kill. */
export type KillResult =
  /** Ended on TERM, or by itself meanwhile. */
  | 'exited'
  /** Ended by KILL. */
  | 'killed'
  /** It had ended before. */
  | 'already-gone'
  /** The system refused. */
  | 'denied'
  /** It lives, verified by looking again. */
  | 'survived';

/** One process of a kill plan. */
export interface KillTarget {
  readonly identity: Identity;
  readonly command: string;
  readonly ports: readonly number[];
  /** `agent` gets TERM first; `rest` at 2.5 s or when the agent has gone. */
  readonly turn: 'agent' | 'rest';
  readonly uid: number | undefined;
}

export interface KillReportRow extends KillTarget {
  readonly result: KillResult;
  /** Why not, in words, for `denied` and `survived` (owner, state D …). */
  readonly detail: string | undefined;
}

/** What a kill did; `ok` only if everything was verified gone. */
export interface KillReport {
  readonly rows: readonly KillReportRow[];
  readonly ok: boolean;
}
