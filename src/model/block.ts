import type { Identity } from './identity.ts';

/** How membership of a block is known. */
export type TrackerType = 'job' | 'cgroup' | 'scan' | 'stub';

export const trackerTypes: readonly TrackerType[] = ['job', 'cgroup', 'scan', 'stub'];

/** `high`: the kernel keeps the list; `best_effort`: found by scanning; `none`: not tracked. */
export type Confidence = 'high' | 'best_effort' | 'none';

/** What happens to members that outlive the agent at the end of a run. */
export type LeftoversPolicy = 'report' | 'kill' | 'keep' | 'ask';

export const leftoversPolicies: readonly LeftoversPolicy[] = ['report', 'kill', 'keep', 'ask'];

/** Why a stronger tracker was not taken, as a stable code (see trackers/reasons.ts) with the fact that was seen. */
export interface TrackerReason {
  readonly code: string;
  readonly detail: string;
}

/** The job object that holds the agent on Windows. */
export interface JobRecord {
  /** In its namespace, e.g. `Global\agentmux-web-<tag>`: it carries the block's nonce. */
  readonly name: string;
  /** Limits set on it (platform/windows/job-calls.ts, JobLimit): a change of one names all, or it would clear the others. */
  readonly flags: number;
}

/** How a block is tracked, as recorded by the run that made it. */
export interface TrackerRecord {
  readonly type: TrackerType;
  readonly confidence: Confidence;
  /** Reasons of every fallback, in the order in which they were met; empty if the best tracker was taken. */
  readonly reasons: readonly TrackerReason[];
  /** Absolute path of the cgroup that holds the agent (type `cgroup`); its name carries the block's nonce. */
  readonly cgroupPath: string | undefined;
  /** Name of the systemd scope around it, if one was made. */
  readonly scope: string | undefined;
  /** True if the wrapper is a child subreaper, so that orphans of the tree become its children. */
  readonly subreaper: boolean;
  /** The job object (type `job`). */
  readonly job?: JobRecord | undefined;
}

/** How a run ended. */
export interface RunExit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** True if our own `--timeout` ended it. */
  readonly timedOut: boolean;
}

/** One run of the agent in a block. */
export interface RunRecord {
  readonly wrapper: Identity;
  /** The agent; undefined until it was started. */
  readonly root: Identity | undefined;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Name of the controlling terminal, e.g. `pts/3`. */
  readonly tty: string | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number | undefined;
  readonly exit: RunExit | undefined;
  /** Sessions (sid) of the wrapper and its ancestors at the start, nearest first: who started the block. */
  readonly callerSids: readonly number[];
}

/**
 * The state file of a block, as its wrapper writes it. `state` is what the wrapper last wrote; what is true now is
 * BlockStatus, found by looking (trackers/inspect.ts).
 */
export interface BlockRecord {
  readonly schemaVersion: 1;
  readonly id: string;
  /** Nonce of the block, the value of AGENTMUX_TAG: membership by environment is by this alone. */
  readonly tag: string;
  readonly machineId: string;
  /** Id of the profile in src/agents, undefined for an unknown agent. */
  readonly agent: string | undefined;
  readonly kind: 'agent' | 'terminal';
  readonly parentId: string | undefined;
  readonly createdAtMs: number;
  readonly state: 'starting' | 'running' | 'ended';
  readonly leftovers: LeftoversPolicy;
  readonly tracker: TrackerRecord;
  /** Every run, oldest first. The roots of the block are the roots of all runs. */
  readonly runs: readonly RunRecord[];
}

/**
 * What a block is now: `starting`, `running`; `ended` without live members; `leftovers`: the agent has ended and
 * members live; `wrapper-gone`: agentmux-run was killed and members live; `elsewhere`: a record of another machine or
 * pid namespace.
 */
export type BlockStatus = 'starting' | 'running' | 'leftovers' | 'wrapper-gone' | 'ended' | 'elsewhere';

/** What a member is to its block. */
export type Role = 'root' | 'plumbing' | 'started';

/** How we know that a process is a member. */
export type MemberSource = 'enclosure' | 'root' | 'tag' | 'descent' | 'recorded' | 'group';

/** A live member of a block. */
export interface Member {
  readonly pid: number;
  /** Undefined if the process is listed by the enclosure but cannot be looked at (hidepid). */
  readonly startTicks: number | undefined;
  readonly source: MemberSource;
  readonly confidence: Confidence;
  /** True if it left the enclosure of its block (cgroup, job). */
  readonly escaped: boolean;
}
