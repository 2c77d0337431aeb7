import type { Confidence, Member, TrackerReason, TrackerRecord, TrackerType } from '../model/block.ts';
import type { Identity } from '../model/identity.ts';
import type { PriorityResult } from '../model/priority.ts';
import type { SignalOutcome } from '../model/signal.ts';
import type { Enclosure } from '../platform/starter.ts';

/**
 * One contract for every mechanism by which a block's members are known. The suite in test/trackers/contract.ts runs on
 * each tracker that the host offers.
 *
 * A tracker is made once, by the run that starts the agent (TrackerPlan.create), and opened any number of times later
 * by other commands from the block's record (openTracker in select.ts).
 */
export interface Tracker {
  readonly type: TrackerType;
  readonly confidence: Confidence;
  /** What the block file must say of it from now on; may be more exact than the record of the plan that made it. */
  readonly record: TrackerRecord;
  /**
   * Calls `spawn` so that the process it starts is a member before its first instruction; where membership comes with the
   * creation of a process it is told how.
   * Throws TrackerError if that cannot be; nothing was spawned then.
   */
  spawnInside<T>(spawn: (enclosure?: Enclosure) => T): T;
  /** Makes a live process a root of the block. */
  assign(root: Identity): void;
  /** Pids of the live members, cheap enough for a 2 s poll; no second net. Empty if the enclosure is gone. */
  memberPids(): number[];
  /** The live members, with start times where they can be seen. No second net. */
  members(): Member[];
  /**
   * Kills every member by the strongest means (cgroup.kill, TerminateJobObject, else a chase) and looks again until none
   * lives or `deadlineMs` has passed. Never signals `spare`. Resolves to the members that still live.
   */
  killTree(options: KillTreeOptions): Promise<Member[]>;
  /** SIGKILL to one member, verified right before; `not-member` if it is none, and nothing was signalled. */
  killPid(identity: Identity): SignalOutcome | 'not-member';
  /** Asks every member to end (TERM, and CONT to the stopped). False: there is no graceful way, so no grace. */
  terminate(): boolean;
  /** Freezes or thaws all members at once; false if this tracker cannot. */
  setFrozen(frozen: boolean): boolean;
  /** Lowers or restores the priority of the members, and of what they start from now on. */
  setBelowNormalPriority(on: boolean): PriorityResult;
  /** CPU used by all members, exited ones included, ns; undefined if only the live ones could be added up. */
  cpuTimeNs(): number | undefined;
  /** Members that the kernel killed for lack of memory, so far; undefined if it does not count them here. */
  oomKills(): number | undefined;
  /** Removes what the tracker made on the system, if it is empty; never throws. */
  dispose(): void;
}

export interface KillTreeOptions {
  /** Longest time from now, ms. */
  readonly deadlineMs: number;
  /** Pids that are never signalled: ourselves, where the killer is inside. */
  readonly spare?: ReadonlySet<number>;
}

/** A way to track that looks possible on this host; made real only after the block file names it. */
export interface TrackerPlan {
  /** What is written into the block file before anything is created. */
  readonly record: TrackerRecord;
  /** The same plan with a reason added: what a better plan failed by. */
  withReason(reason: TrackerReason): TrackerPlan;
  /** Creates the enclosure and proves it by a trial move. Throws TrackerError, having removed what it made. */
  create(): Promise<Tracker>;
}

/** A tracker cannot be had here: `code` is one of reasons.ts, `message` the fact that was seen. */
export class TrackerError extends Error {
  override readonly name = 'TrackerError';
  readonly code: string;
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
