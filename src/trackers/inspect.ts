import type { BlockRecord, BlockStatus, Member, Role } from '../model/block.ts';
import type { ProcessStat } from '../model/process.ts';

/** A live member with what the status line told and what it is to its block. */
export interface MemberView extends Member {
  /** Undefined if the process cannot be looked at (hidepid). */
  readonly stat: ProcessStat | undefined;
  readonly role: Role;
  /** Why it has this role, e.g. `session of its own`, `shell above it`, `launched as the agent`. */
  readonly because: string;
  /** Argument vector and executable, read for the rule; undefined if unreadable. */
  readonly argv: readonly string[] | undefined;
  readonly exe: string | undefined;
}

/** A block as it is now. */
export interface BlockView {
  readonly record: BlockRecord;
  readonly status: BlockStatus;
  /** Live members, zombies left out, in no particular order. Empty for `elsewhere` and for the stub tracker. */
  readonly members: readonly MemberView[];
  /** Zombies of the tree, folded: how many, by parent pid. */
  readonly zombies: ReadonlyMap<number, number>;
  /** CPU of all members incl. exited where the kernel accounts it, else of the live ones, ms; undefined if unknown. */
  readonly cpuMs: number | undefined;
  readonly cpuIncludesExited: boolean;
  /** Pids that live in the enclosure but of which nothing can be read. */
  readonly wrapperAlive: boolean;
}
