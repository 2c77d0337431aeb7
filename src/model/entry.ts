import type { Role } from './block.ts';
import type { Call } from './call.ts';
import type { Evidence } from './evidence.ts';
import type { ProcessStat } from './process.ts';

/** `background`: the agent asked for it or moved it there; `detached`: it outlived its call, whatever made it so. */
export type EntrySource = 'background' | 'detached';

/**
 * One background or detached thing of an agent: what a person thinks in. It runs while any process of its call's session,
 * group or subtree lives. All texts are untrusted.
 */
export interface Entry {
  /** `p1`, `p2` … in the order in which readers saw them; never used again in the block. */
  readonly id: string;
  readonly source: EntrySource;
  /** As the agent wrote it, white space squashed; of what no call is known, as its first process was called. */
  readonly command: string;
  /** The innermost command that is no wrapper. */
  readonly name: string;
  /** The agent's own id of the task. */
  readonly taskId: string | undefined;
  /** Its oldest process; the last one known once it has exited. */
  readonly pid: number | undefined;
  readonly pgid: number | undefined;
  /** Of its whole subtree, each once, ascending; empty once it has exited, and where ports were not asked for. */
  readonly ports: readonly number[];
  readonly startedAtMs: number | undefined;
  /** When a reader first saw that it had exited. */
  readonly endedAtMs: number | undefined;
  readonly status: 'running' | 'exited';
  /** Its live processes, oldest first. */
  readonly pids: readonly number[];
  readonly call: Call | undefined;
}

/** A number of a session or a process group, and the start of the oldest process that was seen in it. */
export interface NumberedSet {
  readonly number: number;
  /** Raw start time. */
  readonly sinceTicks: number;
}

/** What is kept of an entry in the state directory. */
export interface EntryRecord {
  readonly id: string;
  readonly source: EntrySource;
  /** What its processes have in common: a call, a session, a group, or the first process. */
  readonly key: string;
  readonly command: string;
  readonly name: string;
  readonly taskId: string | undefined;
  readonly pid: number | undefined;
  readonly startTicks: number | undefined;
  readonly pgid: number | undefined;
  readonly startedAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
  readonly exited: boolean;
  readonly bootId: string;
  readonly call: Call | undefined;
  /** Sessions and groups that are its own. */
  readonly sessions: readonly NumberedSet[];
  readonly groups: readonly NumberedSet[];
  /** Processes that no session or group of their own names. */
  readonly members: readonly { readonly pid: number; readonly startTicks: number }[];
}

/** All entries of a block, oldest first, and the number of the next one. */
export interface EntryBook {
  readonly next: number;
  readonly entries: readonly EntryRecord[];
}

/** The book of a block that has none yet. */
export const emptyBook: EntryBook = { next: 1, entries: [] };

/** A live member of a block, as entries look at it. */
export interface EntryMember {
  readonly pid: number;
  readonly startTicks: number | undefined;
  readonly stat: ProcessStat | undefined;
  readonly role: Role;
  readonly evidence: Evidence;
  readonly argv: readonly string[] | undefined;
  readonly exe: string | undefined;
}

/** What keeps a process and all below it from being ended with its block. */
export interface KeptMark {
  /** The entry that was named; undefined for a single process. */
  readonly entryId: string | undefined;
  readonly bootId: string;
  readonly members: readonly { readonly pid: number; readonly startTicks: number }[];
  /** Sessions that belong to it alone. */
  readonly sessions: readonly NumberedSet[];
  /** What it is, for people. */
  readonly command: string;
  readonly note: string | undefined;
  readonly keptAtMs: number;
}
