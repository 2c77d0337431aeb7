import { AgentmuxError } from '../errors.ts';

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
