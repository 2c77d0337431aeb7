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
  /** Long-lived processes of the agent's own that outlive it. */
  readonly daemons: readonly AgentDaemon[];
}

/** A daemon of an agent, known by how it was called. */
export interface AgentDaemon {
  /** First operands, e.g. `daemon run`, or flags as `--bg-pty-host`, right after the program. */
  readonly words: readonly string[];
  /** What it is, for people. */
  readonly title: string;
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
