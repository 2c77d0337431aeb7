import type { NamedProcess } from '../filter/shells.ts';

/**
 * What is known of one agent CLI, as data: one file a profile, listed in profiles.ts. No behaviour here; what a profile
 * cannot say is said for all of them in recognise.ts.
 */
export interface AgentProfile {
  /** Short and stable: the block id begins with it, records and JSON carry it. */
  readonly id: string;
  /** Its name for people. */
  readonly title: string;
  /** Names of its executable and of its script, as baseName gives them. Never matched against comm. */
  readonly commands: readonly string[];
  /** npm packages whose scripts are this agent. */
  readonly packages: readonly string[];
  /** Directories, with `/`, whose executables are this agent whatever they are called. */
  readonly directories: readonly string[];
  /** Names (argv[0]) under which its executable is some other program than the agent. */
  readonly aliases: readonly string[];
  /** Measured: each tool call gets a session of its own, while all that is plumbing stays in the agent's. */
  readonly toolSessions: boolean;
  /** Its script may start the real CLI as a direct child in its own session, and wait for it. */
  readonly relaunches: boolean;
  /** Longest time that a tool call can hold the agent, ms: what runs for longer was moved to the background. */
  readonly foregroundMs?: number;
  /** Long-lived processes of the agent's own that outlive it. */
  readonly daemons: readonly AgentDaemon[];
  /** Option whose value names the session to go on with, by its id or by a path that holds the id. */
  readonly resumeOption?: string;
  /** What it writes into the environment of what it starts; undefined if that does not tell tool calls from plumbing. */
  readonly marks?: AgentMarks;
  /** Path of the file that collects a tool call's output, with the groups `session` and `task`. */
  readonly output?: RegExp;
}

/** Names of environment variables by which an agent marks what it starts. */
export interface AgentMarks {
  /** The first that matches tells what the process is. */
  readonly kinds: readonly MarkKind[];
  /** Holds the id of the agent's session; the first that is there counts. */
  readonly session: readonly string[];
  /** Holds the pid of the agent. */
  readonly pid?: string;
  /** Holds sessions; where it names the mark's own, the agent did not set `pid`, which came from an agent above it. */
  readonly pidInheritedIn?: string;
  /** Holds the id of the tool call. */
  readonly call?: string;
}

export interface MarkKind {
  readonly name: string;
  readonly value: RegExp;
  readonly kind: 'tool' | 'plumbing';
}

/** A daemon of an agent, known by how it was called. */
export interface AgentDaemon {
  /** First operands, e.g. `daemon run`, or flags as `--bg-pty-host`, right after the program. */
  readonly words: readonly string[];
  /** What it is, for people. */
  readonly title: string;
  /** What else may end with it, after its title. */
  readonly risk: string;
  /** Option whose JSON value names the `pid` of the agent that started it. */
  readonly starterOption?: string;
}

/** A process as the profiles look at it. */
export interface AgentProcess extends NamedProcess {
  readonly pid: number;
  readonly ppid: number | undefined;
  /** Session id; undefined if it cannot be seen or the system has none. */
  readonly sid: number | undefined;
  readonly startTicks: number | undefined;
}

/** A process that a run recorded as its root, alive or not. */
export interface RecordedRoot {
  readonly pid: number;
  readonly startTicks: number | undefined;
  /** Profile id of the block; used where the root has ended and cannot be looked at. */
  readonly agent?: string | undefined;
}
