import { CommanderError } from 'commander';
import { renderJsonError } from './commands/shared/json-error.ts';
import type { Context } from './context.ts';
import { AgentmuxError, ExitCode } from './errors.ts';
import { escapeUntrusted } from './render/untrusted.ts';

/** What is run, for what is said of it. */
export interface Asked {
  /** The words after `agentmux`. */
  readonly argv: readonly string[];
  readonly context: Context;
  /** The command whose help tells about them. */
  readonly help: string;
}

/**
 * Runs and resolves to the exit code: the only place that prints errors of `agentmux` and decides about exit codes. Never
 * rejects.
 */
export async function settle({ argv, context, help }: Asked, run: () => Promise<unknown>): Promise<number> {
  try {
    await run();
    tellPlace(context);
    return context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return ExitCode.ok;
    tellPlace(context);
    return report(error instanceof CommanderError ? toUsageError(error, help) : error, argv, context);
  }
}

/** What is listed or missing is better understood when it is known where was looked. */
function tellPlace({ storeNote, stderr }: Context): void {
  if (storeNote !== undefined) stderr.write(`warning: ${escapeUntrusted(storeNote)}\n`);
}

function report(error: unknown, argv: readonly string[], context: Context): number {
  if (!(error instanceof AgentmuxError)) {
    context.stderr.write(`${describeBug(error)}\n`);
    if (wantsJson(argv)) tellJson(renderJsonError('internal', String(error), undefined, ExitCode.failed), context);
    return ExitCode.failed;
  }
  context.stderr.write(`error: ${escapeUntrusted(error.message)}\n`);
  const hints = error.hint?.split('\n') ?? [];
  hints.forEach((line, index) => {
    context.stderr.write(`${index === 0 ? 'hint: ' : '      '}${escapeUntrusted(line)}\n`);
  });
  if (wantsJson(argv)) tellJson(renderJsonError(error.code, error.message, error.hint, error.exitCode), context);
  return error.exitCode;
}

/** The error may be that stdout takes nothing: no second one. */
function tellJson(text: string, { stdout }: Context): void {
  try {
    stdout.write(text);
  } catch {
    // Told on stderr, and by the exit code.
  }
}

/** Commander's message is `error: unknown option '--x'` and, where it has one, a suggestion on the next line. */
function toUsageError(error: CommanderError, help: string): AgentmuxError {
  const [sentence = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const meant = /\(Did you mean (?:one of )?(.*)\?\)/.exec(suggestion ?? '')?.[1];
  return new AgentmuxError('usage', sentence, {
    hint: meant === undefined ? help : `did you mean ${meant}? See ${help}`,
  });
}

/** A bug shows its stack; the escaping keeps its lines. */
function describeBug(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lines = stack.split('\n').map(escapeUntrusted).join('\n');
  return lines.includes('internal:') ? lines : `internal: ${lines}`;
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  return (
    own[0] !== 'run' &&
    own.some(
      (word, i) => word === '--json' || word === '--format=json' || (word === 'json' && own[i - 1] === '--format'),
    )
  );
}
