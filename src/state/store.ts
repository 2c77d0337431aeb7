import type { BlockRecord } from '../model/block.ts';
import type { EntryBook, KeptMark } from '../model/entry.ts';
import type { ProcessMarks, SessionBinding } from '../model/evidence.ts';
import type { Identity } from '../model/identity.ts';

/** A file in the state directory that is no readable block record; reported, never deleted. */
export interface UnreadableRecord {
  readonly path: string;
  /** The block id by its file name. */
  readonly id: string;
  readonly reason: 'torn' | 'newer' | 'foreign' | 'denied';
  readonly detail: string;
}

export interface ListOptions {
  /** The time now, ms: also removes stale unfinished files of killed writers. For `prune` alone. */
  readonly sweepAtMs?: number;
}

export interface BlockListing {
  readonly blocks: readonly BlockRecord[];
  readonly unreadable: readonly UnreadableRecord[];
}

/** A process seen as a member at some time, kept so that it stays one (sticky), by identity. */
export interface RecordedMember {
  readonly pid: number;
  readonly startTicks: number;
  readonly bootId: string;
}

/** What agents told of a process (environment marks, output file), kept because a process can overwrite both. */
export interface RememberedProcess extends RecordedMember, ProcessMarks {}

/** A session of a root, of the boot in which that was seen. */
export interface RememberedBinding extends SessionBinding {
  readonly bootId: string;
}

export interface RememberedMarks {
  readonly processes: readonly RememberedProcess[];
  readonly bindings: readonly RememberedBinding[];
}

/** The only writer of files (one JSON file a block). Made by openStore; all methods are synchronous but `lock`. */
export interface Store {
  /** The state directory, absolute. */
  readonly directory: string;
  /** Every block, oldest first; empty if there is no directory. Creates nothing, deletes no record. */
  list(options?: ListOptions): BlockListing;
  /** Throws AgentmuxError for an unreadable record (code `unreadable-record`); undefined if there is none. */
  read(id: string): BlockRecord | undefined;
  /**
   * Creates the file exclusively; false if the id is taken. Throws AgentmuxError `state-unwritable`, or `id-case-clash`
   * if another id differs only in case.
   */
  create(record: BlockRecord): boolean;
  /**
   * Replaces the file atomically; unknown fields of the file survive. Throws `state-unwritable` (the old file is whole
   * then), or `unreadable-record` if a newer version has taken the file over.
   */
  write(record: BlockRecord): void;
  /** Removes the block's file and its siblings. Refuses a record of another machine, and one that is unreadable. */
  remove(id: string): void;
  /** Appends sticky members: `wrapper` to the run's own sibling file, `reader` to that of the other commands. */
  record(id: string, members: readonly RecordedMember[], writer: 'wrapper' | 'reader'): void;
  /** All recorded members of the block, both files, newest wins; torn lines are skipped. */
  recorded(id: string): RecordedMember[];
  /** Appends to what is remembered of the marks of a block's members. */
  rememberMarks(id: string, marks: RememberedMarks): void;
  /** What is remembered; torn lines are skipped, an unreadable file holds nothing. */
  marks(id: string): RememberedMarks;
  /** The entries of the block; an empty book if there is none. Ids are given, and the book written, under the block's lock. */
  entries(id: string): EntryBook;
  writeEntries(id: string, book: EntryBook): void;
  /** What is kept of the block. Throws `unreadable-record` for a file that cannot be used: what it keeps must not be ended. */
  kept(id: string): readonly KeptMark[];
  /** Replaces what is kept, under the block's lock. */
  writeKept(id: string, marks: readonly KeptMark[]): void;
  /** Takes the kernel lock of a block; rejects with AgentmuxError `refused` if it is held for longer than `waitMs`. */
  lock(id: string, waitMs: number): Promise<Lock>;
}

export interface Lock {
  release(): void;
}

/** Whether a process lives, as the store must know to judge records. */
export type IsAlive = (identity: Identity) => boolean;
