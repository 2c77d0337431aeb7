import type { HostIdentity, Identity } from '../model/identity.ts';
import type { Listener, ProcessDetails, ProcessStat } from '../model/process.ts';
import type { SignalOutcome } from '../model/signal.ts';

/** Which parts of ProcessDetails to read; each costs a file. */
export interface DetailFields {
  readonly argv?: boolean;
  readonly exe?: boolean;
  readonly cwd?: boolean;
  /** uid, privateBytes, innerPid. */
  readonly status?: boolean;
}

/** Listening sockets of some processes; `denied` holds those whose sockets we may not see. */
export interface ListenersResult {
  readonly byPid: ReadonlyMap<number, readonly Listener[]>;
  readonly denied: ReadonlySet<number>;
}

/** A listening socket of this machine, and who holds it. */
export interface ListeningSocket extends Listener {
  /** User that made it; undefined where the system does not tell. */
  readonly uid: number | undefined;
  /** True if it is in another network namespace than ours, so that its port is free here. */
  readonly otherNamespace: boolean;
  /** Processes that hold it, as far as they can be seen: none where it is another user's. */
  readonly pids: readonly number[];
}

/** Why a directory is not to be trusted, e.g. `belongs to another user (S-1-5-21-…)`, and a command that helps. */
export interface DirectoryFault {
  readonly why: string;
  readonly hint: string | undefined;
}

/** Makes and judges directories where an access list tells whose they are, and no mode. */
export interface DirectoryGuard {
  /** Makes a directory that is this user's alone; false if there is one already. Errors are as those of mkdir. */
  make(path: string): boolean;
  /** Why others could change what is in it; undefined if they cannot. */
  findFault(path: string): DirectoryFault | undefined;
}

/** Programs by which processes are read. */
export interface ProcessReader {
  /** E.g. `ps and lsof`. */
  readonly name: string;
  readonly detail: string;
  /** True if only pids and parents are known. */
  readonly isLastResort: boolean;
}

/**
 * What the operating system must do for us: raw reads and calls without policy, synchronous (procfs never blocks on a
 * disk). No method throws for a process that has ended or may not be read: it answers `undefined`.
 */
export interface Platform {
  readonly os: 'linux' | 'darwin' | 'win32' | 'other';
  /**
   * True where no signal asks a process to end (Windows): it ends by force, at once, and `signal` knows KILL alone. Left out
   * elsewhere.
   */
  readonly endsByForce?: true;
  /** Where mode bits mean nothing (Windows); left out elsewhere. */
  readonly directories?: DirectoryGuard;
  /** This machine, boot and pid namespace. Cached. */
  host(): HostIdentity;
  /** Identity of a live process now; undefined if there is none or it may not be seen. */
  identify(pid: number): Identity | undefined;
  /** True if that very process lives (zombies do not). */
  isAlive(identity: Identity): boolean;
  readStat(pid: number): ProcessStat | undefined;
  /** Every visible process except kernel threads. */
  readTable(): ProcessStat[];
  /** Pids in use that are visible, without a look at any of them. */
  listPids(): number[];
  /** The pid that was given away last; while it stays the same no process was started. Undefined where unknown. */
  lastPid(): number | undefined;
  readDetails(pid: number, fields: DetailFields): ProcessDetails;
  /** Environment entries (`NAME=value`) of a process; undefined if unreadable. Never stored. */
  readEnvironment(pid: number): readonly string[] | undefined;
  /**
   * The environment variables of these names; of one that is there twice the first, as getenv(3) finds it. Undefined if
   * unreadable.
   */
  readVariables(pid: number, names: ReadonlySet<string>): ReadonlyMap<string, string> | undefined;
  /** What an open file of a process is: a path, with ` (deleted)` where it is, or e.g. `socket:[123]`; undefined if unreadable. */
  readOpenFile(pid: number, fd: number): string | undefined;
  /** Which of the exact entries `AGENTMUX_TAG=<tag>` the environment of the process holds; undefined if none or unreadable. */
  findTag(pid: number, tags: ReadonlySet<string>): string | undefined;
  /**
   * Keeps the pid of that very process from being given to another, also after its end, until the function that it gives is
   * called; undefined if it is not that process any more. Left out where orphans are adopted, or a pid cannot be kept.
   */
  readonly keepPid?: (identity: Identity) => (() => void) | undefined;
  /** Processes whose parent is `pid`. */
  children(pid: number): number[];
  readListeners(pids: Iterable<number>): ListenersResult;
  /** Every listening socket, whoever holds it. May throw AgentmuxError `no-port-table`. */
  readOpenPorts(): readonly ListeningSocket[];
  /** True where it leaves out those of other users. */
  readonly hidesPorts?: boolean;
  /** Start time as wall clock, ms since the epoch; shown, never compared. */
  startedAtMs(startTicks: number): number;
  /** Signals that process if it still is that process, re-checked right before. */
  signal(identity: Identity, signal: NodeJS.Signals): SignalOutcome;
  /** Name of a terminal by its device number, e.g. `pts/3`. */
  ttyName(ttyNr: number): string | undefined;
  /** Why no process can be read at all, so that nothing is tracked; left out where they can. */
  readonly failure?: string;
  /** How processes are read, where it is not by calls of the system. */
  readonly reader?: () => ProcessReader;
  /** Short names of the programs by which processes are read; undefined where none is run for that. */
  readonly helperNames?: ReadonlySet<string>;
}
