import type { Platform } from '../platform/platform.ts';
import type { MemberView } from '../trackers/inspect.ts';
import type { Tracker } from '../trackers/tracker.ts';
import type { KillProgress, KillReport } from './kill.ts';

/** The time from the first signal to KILL if nothing else is asked for, ms. */
export const defaultGraceMs = 4000;

/** What a kill needs of the world. */
export interface KillWorld {
  readonly platform: Platform;
  /** The tracker of the block, as openTracker gives it. */
  readonly tracker: Tracker;
  /** Looks at the block afresh: its live members, those of its child blocks and of the second net included. */
  readonly look: () => readonly MemberView[];
  /** Pids that are never signalled: ourselves, where we are a member. */
  readonly spare?: ReadonlySet<number>;
}

export interface KillOptions {
  /** From the first signal to KILL, ms; 0 is KILL at once. */
  readonly graceMs: number;
  /** Spares the roots and their plumbing. */
  readonly startedOnly?: boolean;
  /** Ends also what left the enclosure and carries the block's tag alone. */
  readonly escaped?: boolean;
  /** Called about once a second while something is waited for. */
  readonly onProgress?: (progress: KillProgress) => void;
  /** Aborting it ends the grace: KILL now. */
  readonly hurry?: AbortSignal;
}

/**
 * Ends a block, or with `startedOnly` what its agent started: TERM to the agent, TERM to the rest, KILL by enclosure and
 * by verified identity, and a look again until none lives. Never throws for a process that cannot be ended: the report
 * names it. Takes at most `graceMs` plus 5 s.
 */
export async function killBlock(world: KillWorld, options: KillOptions): Promise<KillReport> {
  throw new Error(`internal: not written yet ${world.tracker.type} ${options.graceMs}`);
}
