import { LaunchError, RunExitCode } from '../../errors.ts';
import { buildTrampoline, isLossless } from './trampoline.ts';

/** What to hand to spawn so that the agent gets exactly its bytes. */
export interface AgentCommand {
  readonly file: string;
  /** What the program sees as its name, as the user typed it; undefined where a helper passes it on. */
  readonly argv0: string | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** How it is started, for people who ask. */
  readonly detour: 'none' | 'prlimit' | 'sh';
}

export interface AgentCommandInput {
  /** The agent's argument vector, its name first. */
  readonly argv: readonly Buffer[];
  /** The file that the name stands for. */
  readonly executable: Buffer;
  /** Entries `NAME=value` as we got them. */
  readonly environment: readonly Buffer[];
  /** What we add to them. */
  readonly added: Readonly<Record<string, string>>;
  readonly nohup: boolean;
  /** The soft limit of open files to give back, since Node raised ours to the hard one; undefined if there is none. */
  readonly openFiles: number | undefined;
  /** Paths of helper programs; undefined where this machine has none. */
  readonly sh: string | undefined;
  readonly env: string | undefined;
  readonly prlimit: string | undefined;
}

/**
 * Chooses the shortest way to start the agent: by itself, by prlimit(1), or by `sh`. Pure. Throws LaunchError 125 if it
 * takes a shell and there is none: what was asked for is not left out in silence.
 */
export function buildAgentCommand(input: AgentCommandInput): AgentCommand {
  const environment = addEntries(input.environment, input.added);
  const isPlain =
    !input.nohup && input.argv.every(isLossless) && environment.every(isLossless) && isLossless(input.executable);
  if (!isPlain) {
    const { sh, env } = input;
    if (sh === undefined) throw shellMissing(input.nohup);
    const detour = buildTrampoline({
      argv: input.argv,
      environment,
      sh,
      env,
      nohup: input.nohup,
      openFiles: input.openFiles,
    });
    return { ...detour, argv0: undefined, detour: 'sh' };
  }
  const env = toRecord(environment);
  const [name = '', ...args] = input.argv.map(String);
  if (input.openFiles !== undefined && input.prlimit !== undefined) {
    const limited = [`--nofile=${input.openFiles}:`, '--', name, ...args];
    return { file: input.prlimit, argv0: undefined, args: limited, env, detour: 'prlimit' };
  }
  return { file: input.executable.toString(), argv0: name, args, env, detour: 'none' };
}

function shellMissing(nohup: boolean): LaunchError {
  const what = nohup ? '--nohup' : 'a word of the command or a variable that is no UTF-8';
  return new LaunchError(RunExitCode.failed, `${what} needs a shell, and there is no /usr/bin/sh and no /bin/sh`);
}

const EQUALS = 0x3d;

function addEntries(environment: readonly Buffer[], added: Readonly<Record<string, string>>): Buffer[] {
  const names = new Set(Object.keys(added));
  const kept = environment.filter(
    (entry) => !names.has(entry.toString('latin1', 0, Math.max(0, entry.indexOf(EQUALS)))),
  );
  return [...kept, ...Object.entries(added).map(([name, value]) => Buffer.from(`${name}=${value}`))];
}

function toRecord(environment: readonly Buffer[]): Record<string, string> {
  const record: Record<string, string> = {};
  for (const entry of environment) {
    const text = entry.toString();
    const equals = text.indexOf('=');
    // The first of a name twice is what getenv(3) finds.
    if (equals > 0) record[text.slice(0, equals)] ??= text.slice(equals + 1);
  }
  return record;
}
