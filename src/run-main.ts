import { reportLaunchFailure, runCommand } from './commands/shared/run-command.ts';
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
    const plain = takePlain(argv);
    if (plain !== undefined) return await runCommand(plain, {}, context);
    const { createRunProgram } = await import('./commands/run.ts');
    await createRunProgram(context).parseAsync(argv, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    return report(error, argv, context);
  }
}

/** The command where nothing but a command was given: without a parser of options the agent starts 5 % sooner. */
export function takePlain(argv: readonly string[]): readonly string[] | undefined {
  const words = argv[0] === '--' ? argv.slice(1) : argv;
  if (words.length === 0) return undefined;
  return words !== argv || words[0]?.startsWith('-') === false ? words : undefined;
}

function report(error: unknown, argv: readonly string[], context: Context): number {
  if (isCommanderError(error)) {
    if (error.exitCode === 0) return 0;
    const [sentence = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
    const hint = suggestion ?? 'agentmux-run --help';
    const asJson = wantsDocument(argv);
    return reportLaunchFailure(new LaunchError(RunExitCode.failed, sentence, { hint }), context, asJson);
  }
  if (error instanceof AgentmuxError) return reportLaunchFailure(error, context);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  context.stderr.write(`agentmux-run: internal: ${stack.split('\n').map(escapeUntrusted).join('\n')}\n`);
  return RunExitCode.failed;
}

/** What could not be parsed may still ask for a document: of our own words, which end at `--` or where others begin. */
function wantsDocument(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  const isDryRun = own.includes('--dry-run') || own.includes('-n');
  return isDryRun && own.includes('--json');
}

/** By its code: commander is loaded where there is something to parse. */
function isCommanderError(error: unknown): error is Error & { readonly exitCode: number } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
}
