/**
 * What is known of one process. `undefined` is unknown: shown as `-`, `null` in JSON, never 0.
 * All strings are untrusted text, decoded as UTF-8; bytes that are no UTF-8 are kept beside it.
 */

/** One read of the kernel's status line; all fields are of the same moment. */
export interface ProcessStat {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  readonly sid: number;
  /** Controlling terminal's device number, 0 if it has none. */
  readonly ttyNr: number;
  /** Foreground process group of the controlling terminal, -1 if it has none. */
  readonly tpgid: number;
  readonly startTicks: number;
  /** One letter as in proc_pid_stat(5): R S D T t Z X I. */
  readonly state: string;
  /** User and system time, ms. */
  readonly cpuMs: number;
  /** Resident set, bytes. */
  readonly rssBytes: number;
  /** The kernel's short name, at most 15 bytes. */
  readonly comm: string;
}

/** Read apart from the status line, each part only where asked for. */
export interface ProcessDetails {
  /** Argument vector; undefined if unreadable, empty for a zombie. A GuessedArgv where the words are not known. */
  readonly argv: readonly string[] | undefined;
  /** The bytes of the argument vector (NUL separated), only if they are no valid UTF-8. */
  readonly argvBytes: Uint8Array | undefined;
  /** Path of the executable as the kernel names it, with a trailing ` (deleted)` where it is. */
  readonly exe: string | undefined;
  readonly cwd: string | undefined;
  /** Real user id. */
  readonly uid: number | undefined;
  /** Memory of its own (RssAnon + VmSwap), bytes; what totals over processes add up. */
  readonly privateBytes: number | undefined;
  /** Pid in its innermost namespace, if that differs. */
  readonly innerPid: number | undefined;
}

/**
 * An argument vector that the system told as one text only: split at blanks, so that one argument may be several words.
 * Good for telling programs apart; shown as the text that it was, and in documents as unknown.
 */
export class GuessedArgv extends Array<string> {}

/** The words, if they are known as such. */
export function exactArgv(argv: readonly string[] | undefined): readonly string[] | undefined {
  return argv instanceof GuessedArgv ? undefined : argv;
}

/** Of a process of which nothing is known. */
export const UNKNOWN_DETAILS: ProcessDetails = {
  argv: undefined,
  argvBytes: undefined,
  exe: undefined,
  cwd: undefined,
  uid: undefined,
  privateBytes: undefined,
  innerPid: undefined,
};

/** A listening socket of a process. */
export interface Listener {
  readonly protocol: 'tcp' | 'tcp6';
  readonly address: string;
  readonly port: number;
}

/** Zombies and dead count as gone everywhere. */
export function isGone(stat: Pick<ProcessStat, 'state'>): boolean {
  return stat.state === 'Z' || stat.state === 'X' || stat.state === 'x';
}
