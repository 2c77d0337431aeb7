/** What an agent tells of the processes around it, and what of that decided a role. All texts are untrusted. */

/** What an agent's mark in the environment says of the process that got it and of all that inherited it. */
export interface AgentMark {
  /** Id of the profile whose mark it is. */
  readonly agent: string;
  readonly kind: 'tool' | 'plumbing';
  /** The variable that tells. */
  readonly name: string;
  /** The agent's session. */
  readonly session: string | undefined;
  /** Pid of the agent. */
  readonly pid: number | undefined;
  /** The tool call. */
  readonly callId: string | undefined;
}

/** An open file of a process that is the output of a tool call. */
export interface OutputLink {
  readonly agent: string;
  readonly session: string;
  readonly taskId: string;
}

/** All that agents told about one process; empty where they told nothing. */
export interface ProcessMarks {
  readonly marks: readonly AgentMark[];
  readonly output: OutputLink | undefined;
}

/** That a session is one of a root: seen once, it holds when the root and the processes that showed it are gone. */
export interface SessionBinding {
  readonly agent: string;
  readonly session: string;
  readonly rootPid: number;
  readonly rootStartTicks: number | undefined;
}

/** By what a role was decided, strongest first. */
export type EvidenceKind =
  /** It is the agent. */
  | 'root'
  /** It only launches the agent. */
  | 'launcher'
  /** A console host, which nobody started. */
  | 'console'
  /** A daemon of the agent, by how it was called. */
  | 'daemon'
  /** A mark in its environment. */
  | 'mark'
  /** Its output goes where the agent collects that of a tool call. */
  | 'output'
  /** Its session, the agent's or its own. */
  | 'session'
  /** What is above it. */
  | 'descent'
  /** The agent-started rule: the agent told nothing. */
  | 'rule';

/** Why a member has its role, as far as a program can use it. Marks of other blocks' agents are left out. */
export interface Evidence {
  readonly kind: EvidenceKind;
  /** The variable of its mark, whether the mark decided or not. */
  readonly mark: string | undefined;
  /** Session of the agent in its mark or in its output's path. */
  readonly session: string | undefined;
  /** The agent's task that its output belongs to. */
  readonly taskId: string | undefined;
  /** The tool call in its mark. */
  readonly callId: string | undefined;
}
