import { CommanderError } from 'commander';
import { createRunProgram, reportLaunchFailure } from './commands/run.ts';
import type { Context } from './context.ts';
import { AgentmuxError, LaunchError, RunExitCode } from './errors.ts';
import { createNodeContext } from './node-context.ts';
import { escapeUntrusted } from './render/untrusted.ts';

/**
 * Runs `agentmux-run` with the words after its name and resolves to the exit code; never rejects. Words of ours on
 * stderr begin with `agentmux-run:`; stdout is the agent's, but for --help, --version and --dry-run.
 */
export async function main(argv: readonly string[], context: Context = createNodeContext()): Promise<number> {
  try {
    await createRunProgram(context).parseAsync(argv, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    return report(error, context);
  }
}

function report(error: unknown, context: Context): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    const [sentence = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
    const hint = suggestion ?? 'agentmux-run --help';
    return reportLaunchFailure(new LaunchError(RunExitCode.failed, sentence, { hint }), context);
  }
  if (error instanceof AgentmuxError) return reportLaunchFailure(error, context);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  context.stderr.write(`agentmux-run: internal: ${stack.split('\n').map(escapeUntrusted).join('\n')}\n`);
  return RunExitCode.failed;
}
