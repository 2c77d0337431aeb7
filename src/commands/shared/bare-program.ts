import { Command } from 'commander';
import type { Context } from '../../context.ts';
import { VERSION } from '../../version.ts';

/**
 * A program without commands that throws commander's errors rather than print them or exit: outcome.ts and run-main.ts
 * alone print errors. Help and version go to stdout.
 */
export function createBareProgram(name: string, context: Context): Command {
  return new Command(name)
    .version(VERSION, '--version', 'print the version')
    .enablePositionalOptions()
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHelpWidth: () => context.stdout.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => context.stderr.columns ?? HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
}

const HELP_WIDTH = 80;
