/**
 * Expected failures, named by their effect, and the exit code of each.
 *
 * Thrown anywhere, caught and printed only in main.ts: one lowercase sentence with the user's value in quotes, then a
 * hint with a command to type. Anything else that is thrown is a bug and shows its stack.
 */

/** Exit codes of `agentmux` (see `agentmux --help`). */
export const ExitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  survived: 4,
  refused: 5,
  timedOut: 124,
} as const;

export type ErrorKind = Exclude<keyof typeof ExitCode, 'ok'>;

export interface ErrorOptions {
  /** A command that the user can type next, or the list of candidates; printed after the message. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** A stable machine-readable word for `--json`, e.g. `no-such-block`. */
  readonly code?: string;
}

/** An expected failure. The message is one lowercase sentence without a full stop; values of the user's are quoted. */
export class AgentmuxError extends Error {
  override readonly name = 'AgentmuxError';
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly code: string;

  constructor(kind: ErrorKind, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.hint = options.hint;
    this.code = options.code ?? kind;
  }

  get exitCode(): number {
    return ExitCode[this.kind];
  }
}

/**
 * Exit codes of `agentmux-run` itself, as env, nohup and timeout of the coreutils have them; everything else is the
 * agent's own status, or 128+n after its death by signal n.
 */
export const RunExitCode = {
  /** `--fail-on-leak`: the agent ended with 0 and left processes behind. */
  leaked: 123,
  /** `--timeout` ended the agent. */
  timedOut: 124,
  /** Nothing was started: wrong usage, a refused block, a tracker that was required and cannot be had. */
  failed: 125,
  /** The command was found and cannot be executed. */
  notExecutable: 126,
  /** The command was not found. */
  notFound: 127,
} as const;

/** Nothing was started; printed as `agentmux-run: <message>`. */
export class LaunchError extends AgentmuxError {
  readonly #exitCode: number;

  constructor(exitCode: number, message: string, options: { hint?: string; code?: string; cause?: unknown } = {}) {
    super(exitCode === RunExitCode.failed ? 'failed' : 'notFound', message, options);
    this.#exitCode = exitCode;
  }

  override get exitCode(): number {
    return this.#exitCode;
  }
}
