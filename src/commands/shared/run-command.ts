import type { Context } from '../../context.ts';
import { type AgentmuxError, LaunchError, RunExitCode } from '../../errors.ts';
import { parseRunOptions, type RawRunOptions } from '../../launch/options.ts';
import { escapeUntrusted } from '../../render/untrusted.ts';
import { readConfig } from '../../state/config.ts';
import { renderJsonError } from './json-error.ts';

/**
 * Runs what `agentmux-run` was asked for: the words of the command, and the options as they were typed. Resolves to the
 * exit code. Rejects with AgentmuxError if nothing was started.
 */
export async function runCommand(operands: readonly string[], raw: RawRunOptions, context: Context): Promise<number> {
  const read = readConfig({ env: context.env, os: context.platform.os });
  const options = parseRunOptions(raw, context.env, read.status === 'ok' ? read.config : undefined);
  if (operands.length === 0) {
    throw new LaunchError(RunExitCode.failed, 'no command was given', { hint: 'agentmux-run --help' });
  }
  const { launch } = await import('../../launch/launch.ts');
  const problem = read.status === 'ok' ? undefined : `the configuration "${read.path}" is not used: ${read.detail}`;
  return launch({ options, operands, problem }, context);
}

/**
 * Prints why nothing was started, as our own words on stderr, and gives the exit code. `asJson`: a document was asked for,
 * and stdout is not the command's.
 */
export function reportLaunchFailure(
  error: AgentmuxError,
  context: Pick<Context, 'stdout' | 'stderr'>,
  asJson = false,
): number {
  context.stderr.write(`agentmux-run: ${escapeUntrusted(error.message)}\n`);
  if (error.hint !== undefined) context.stderr.write(`agentmux-run: hint: ${escapeUntrusted(error.hint)}\n`);
  const exitCode = error instanceof LaunchError ? error.exitCode : RunExitCode.failed;
  if (asJson) context.stdout.write(renderJsonError(error.code, error.message, error.hint, exitCode));
  return exitCode;
}
