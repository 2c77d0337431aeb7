import type { Confidence, MemberSource, Role } from './block.ts';
import type { Evidence } from './evidence.ts';
import type { Listener } from './process.ts';

/**
 * One process as listings show it, and as their JSON documents it (`undefined` is written as null there, `-` for people;
 * never 0). All texts are untrusted; secrets in them are replaced where `redacted` says so.
 */
export interface ProcessRow {
  readonly blockId: string;
  readonly pid: number;
  readonly parentPid: number | undefined;
  /** Raw start time: with the pid, what tells two processes apart. */
  readonly startTicks: number | undefined;
  /** Wall clock, ms since the epoch. */
  readonly startedAtMs: number | undefined;
  readonly ageMs: number | undefined;
  /** One letter as in proc_pid_stat(5). */
  readonly state: string | undefined;
  /** User and system time used, ms. */
  readonly cpuMs: number | undefined;
  /** Percent of one core, average since the start, to one decimal. */
  readonly cpuPercent: number | undefined;
  /** Resident set, shared pages included: does not add up over processes. */
  readonly rssBytes: number | undefined;
  /** Memory of its own: what totals add up. */
  readonly privateBytes: number | undefined;
  /** Listening sockets of which this row is the owner; undefined if they were not asked for or may not be seen. */
  readonly listeners: readonly Listener[] | undefined;
  /** Listening sockets that it holds too, and the pid of the row that owns them: inherited, not servers of its own. */
  readonly sharedListeners: readonly SharedListener[];
  readonly comm: string | undefined;
  /** For people: argv quoted as a shell would need it; `[comm]` where there is none; undefined if nothing is known. */
  readonly command: string | undefined;
  /** Undefined also where the system tells the command as one text only. */
  readonly argv: readonly string[] | undefined;
  /** The bytes of argv (NUL separated) where they are no UTF-8; left out of redacted rows. */
  readonly commandBase64: string | undefined;
  readonly exe: string | undefined;
  readonly cwd: string | undefined;
  readonly uid: number | undefined;
  /** Controlling terminal, e.g. `pts/3`; undefined if it has none or it is unknown. */
  readonly tty: string | undefined;
  readonly pgid: number | undefined;
  readonly sid: number | undefined;
  /** Pid in its innermost namespace, if that differs. */
  readonly innerPid: number | undefined;
  readonly role: Role;
  /** Why it has this role. */
  readonly because: string;
  readonly evidence: Evidence;
  /** Id of the agent profile, if the process is an agent CLI, nested ones included. */
  readonly agent: string | undefined;
  /** What its program tells: that it is meant to stay, or that its work is done by somebody who is no member. */
  readonly note: string | undefined;
  /** The tool call that it belongs to. */
  readonly label: CallLabel | undefined;
  /** Id of the entry that it belongs to. */
  readonly entry: string | undefined;
  /** True if it is not ended with its block. */
  readonly kept: boolean;
  readonly source: MemberSource;
  readonly confidence: Confidence;
  /** True if it left the enclosure of its block. */
  readonly escaped: boolean;
  readonly redacted: boolean;
}

/** A tool call as rows and entries name it. */
export interface CallLabel {
  /** Names the call within its block: `pid:starttime` of its shell, else the agent's id of it. */
  readonly callId: string;
  /** The agent's id of the call. */
  readonly toolId: string | undefined;
  /** What the agent said it is for. */
  readonly description: string | undefined;
  /** As the agent wrote it, white space squashed. */
  readonly command: string | undefined;
}

export interface SharedListener extends Listener {
  readonly ownerPid: number;
}

/** Sums over rows. */
export interface RowTotals {
  readonly processes: number;
  /** Undefined if it is unknown of every row; see `memoryIsPartial`. */
  readonly privateBytes: number | undefined;
  /** True if it is unknown of some rows, so that the sum is a lower bound. */
  readonly memoryIsPartial: boolean;
  /** CPU of the live rows, ms; undefined if it is unknown of every row. */
  readonly cpuMs: number | undefined;
  /** Listening ports, each once, ascending; undefined if they are unknown of every row. */
  readonly ports: readonly number[] | undefined;
}
