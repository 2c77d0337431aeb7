import type { TrackerType } from '../model/block.ts';
import type { Identity } from '../model/identity.ts';
import type { Platform } from './platform.ts';

/**
 * How programs are started, waited for and told on one system: all of a run that differs between systems. What a run
 * does, in which order and by which policy is the launch's part.
 */
export interface ProgramStarter {
  /** Signals that the wrapper listens to. */
  readonly signals: readonly HandledSignal[];
  /** False where no signal reaches another program: an agent is waited for or ended by force, never told. */
  readonly canSignal: boolean;
  /** Why what tells tool calls apart cannot be given to an agent here; undefined if it can. */
  readonly labelsObstacle: string | undefined;
  /** Throws LaunchError 125 for an option that means nothing here or cannot be followed. */
  readHandover(request: HandoverRequest): Handover;
  /** Finds the program that the first word of the handover names. Throws LaunchError 126 or 127. */
  findProgram(handover: Handover): Program;
  /**
   * Starts the agent with our terminal and our streams. Rejects with LaunchError 126 or 127 if the system does not start it,
   * and with what `spawnInside` throws; nothing of it ran then. With LaunchError 125 if it cannot be watched: it was ended.
   */
  start(request: StartRequest): Promise<Agent>;
  keepOrphans(type: TrackerType, platform: Platform, ownPid: number): OrphanKeeper;
  /** Stops us along with an agent that stops itself; gives how to end that. */
  followStops(platform: Platform, agent: Identity, ownPid: number): () => void;
  /** True if what is typed on our terminal (Ctrl-C) reached the agent already. */
  sharesInterrupt(platform: Platform, ownPid: number, agent: Agent): boolean;
  /** True if we can end by a signal ourselves, for a shell to see. */
  canRaise(ownPid: number): boolean;
  /** Leaves the terminal as it must be, and us by a signal if that is how; gives the exit code otherwise. */
  leave(leaving: Leaving, ending: Ending): number;
  /** Which of the given processes hold our descriptor open, e.g. our stdout: whoever reads it sees no end before they end. */
  findStreamHolders(fd: number, pids: Iterable<number>): number[];
}

/** Signals that mean something to a run; which of them can come is the system's matter. */
export type HandledSignal = 'SIGINT' | 'SIGQUIT' | 'SIGBREAK' | 'SIGHUP' | 'SIGTERM' | 'SIGUSR1' | 'SIGUSR2';

export interface HandoverRequest {
  /** The agent's words as Node decoded them. */
  readonly operands: readonly string[];
  readonly passFds: readonly number[];
  readonly nohup: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What we were handed and hand on, read before we open anything ourselves. */
export interface Handover {
  /** The operands, to the byte: the agent's argument vector. */
  readonly argv: readonly Buffer[];
  /** Entries `NAME=value`, to the byte. */
  readonly environment: readonly Buffer[];
  /** Descriptors from 3 up that were handed to us: files, sockets, terminals, and the pipes that were asked for. */
  readonly fds: readonly number[];
  /** Soft limit of open files to give back; undefined if ours is what we got. */
  readonly openFiles: number | undefined;
}

/** What is run for a name. */
export interface Program {
  readonly file: Buffer;
  /** Words that come before the agent's own arguments, e.g. the script of an interpreter. */
  readonly before: readonly string[];
  /** `batch`: a file that only the command processor runs. */
  readonly kind: 'program' | 'batch';
  /** Variables that what was looked through on the way sets. */
  readonly env: Readonly<Record<string, string>>;
  /** How it was found, where that is not plain: for people who ask. */
  readonly notes: readonly string[];
}

/** What a tracker gives to whoever starts the agent, where membership comes with the creation of a process. */
export interface Enclosure {
  /** Handle of the job object. */
  readonly job?: number;
  /** Inheritable handles that the agent gets beside its streams: they keep the job's name for as long as it lives. */
  readonly inherited?: readonly number[];
}

/**
 * The system starts the program, but not in its enclosure: nothing of it ran. Tracker.spawnInside makes a TrackerError of
 * it.
 */
export class EnclosureError extends Error {
  override readonly name = 'EnclosureError';
}

export interface StartRequest {
  readonly handover: Handover;
  readonly program: Program;
  /** The argument vector, with what labels put in. */
  readonly argv: readonly Buffer[];
  /** What is added to the environment. */
  readonly added: Readonly<Record<string, string>>;
  readonly nohup: boolean;
  /** Calls what starts a process so that the process is a member before its first instruction (Tracker). */
  spawnInside<T>(spawn: (enclosure?: Enclosure) => T): T;
  readonly platform: Platform;
  /** Pids that we started ourselves; the agent's is put in. */
  readonly own: Set<number>;
}

/** How the agent ended. */
export type AgentStatus =
  | { readonly type: 'code'; readonly code: number }
  | { readonly type: 'signal'; readonly signal: NodeJS.Signals };

/** The agent, started. */
export interface Agent {
  /** Its start is 0 as long as processes cannot be read. */
  readonly identity: Identity;
  /** Settles when it has ended and its status was taken. */
  readonly exited: Promise<AgentStatus>;
  /** Its status once it has ended. */
  readonly status: AgentStatus | undefined;
  /** Its process group as last seen, kept after its end; undefined where there are none. */
  readonly pgid: number | undefined;
  /** Signals it unless it has ended; false if the system refused. Where nothing can be told only KILL is to be sent. */
  signal(signal: NodeJS.Signals): boolean;
  /** Gives up waiting for it: it no longer keeps us running. */
  release(): void;
}

/** Makes orphans of the tree our children and reaps them. */
export interface OrphanKeeper {
  /** True if the kernel made us a child subreaper. */
  readonly isSubreaper: boolean;
  /** Pids that we spawned ourselves, for the reaper to leave alone. */
  readonly own: Set<number>;
  /** Takes orphans from now on. To be called as soon as there is an agent: before anything that takes time. */
  adopt(): void;
  /** Reaps from now on. To be called when the pid of the agent is in `own`. */
  start(): void;
  stop(): void;
}

/** How we leave: by a code, or by the signal that the agent died of. */
export type Leaving =
  | { readonly type: 'code'; readonly code: number }
  | { readonly type: 'signal'; readonly signal: NodeJS.Signals; readonly code: number };

/** How the agent ended, as far as its terminal may need repair. */
export interface Ending {
  /** Undefined if it was never started, or still lives. */
  readonly status: AgentStatus | undefined;
  /** True if we ended it. */
  readonly isForced: boolean;
  readonly platform: Platform;
  readonly ownPid: number;
}
