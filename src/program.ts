import { Command } from 'commander';
import { profiles } from './agents/profiles.ts';
import { registerBlocks } from './commands/blocks.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerKill } from './commands/kill.ts';
import { registerKillTree } from './commands/kill-tree.ts';
import { registerPrune } from './commands/prune.ts';
import { registerPs } from './commands/ps.ts';
import { registerRun } from './commands/run.ts';
import { examplesHelp, exitCodesHelp } from './commands/shared/help.ts';
import { registerTree } from './commands/tree.ts';
import { registerWait } from './commands/wait.ts';
import type { Context } from './context.ts';
import { AgentmuxError } from './errors.ts';
import { VERSION } from './version.ts';

/** The commands of `agentmux` with their flags and help. Does nothing and reads nothing until it is parsed. */
export function createProgram(context: Context): Command {
  const program = new Command('agentmux')
    .description('See what AI agents started on this machine, and end it reliably.')
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .usage('<command> [options]')
    .enablePositionalOptions()
    .exitOverride()
    .showSuggestionAfterError()
    // Errors are printed in main.ts alone; help is data and goes to stdout.
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHelpWidth: () => context.stdout.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => context.stderr.columns ?? HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const register of COMMANDS) register(program, context);
  program.addHelpText('after', examplesHelp(EXAMPLES));
  for (const command of [program, ...program.commands]) {
    if (command.name() !== 'run') command.addHelpText('after', exitCodesHelp());
  }
  return program;
}

/**
 * Parses and runs. Without a word it prints the short help. Throws AgentmuxError for a word that is no command, and
 * commander's own errors for the rest.
 */
export async function parseProgram(program: Command, argv: readonly string[], context: Context): Promise<void> {
  if (argv.length === 0) {
    context.stdout.write(shortHelp(program));
    return;
  }
  await refuseUnknownCommand(program, argv[0] ?? '');
  await program.parseAsync(argv, { from: 'user' });
}

/** The command whose help tells about this command line, as the user would type it. */
export function helpOf(program: Command, argv: readonly string[]): string {
  const command = findCommand(program, argv[0] ?? '');
  return command === undefined ? 'agentmux --help' : `agentmux ${command.name()} --help`;
}

/** In the order of the help. */
const COMMANDS = [
  registerRun,
  registerBlocks,
  registerPs,
  registerTree,
  registerKill,
  registerKillTree,
  registerWait,
  registerDoctor,
  registerPrune,
];

const HELP_WIDTH = 80;

const EXAMPLES = [
  ['agentmux-run claude', 'run an agent so that it is tracked'],
  ['agentmux ps', 'list what the agents here started'],
] as const;

function shortHelp(program: Command): string {
  const names = program.commands.map((command) => command.name()).join(', ');
  return [
    program.description(),
    '',
    'Usage: agentmux <command> [options]',
    examplesHelp(EXAMPLES),
    '',
    `Commands: ${names}`,
    'More: agentmux --help, agentmux <command> --help, man agentmux',
    '',
  ].join('\n');
}

/**
 * There is no catch-all: `agentmux claude` must not run or list anything, but say what was meant. Asked before commander
 * parses, which would complain about the flags that follow an unknown word.
 */
async function refuseUnknownCommand(program: Command, word: string): Promise<void> {
  if (word.startsWith('-') || word === 'help' || findCommand(program, word) !== undefined) return;
  if (profiles.some((profile) => profile.commands.includes(word))) {
    throw new AgentmuxError('usage', `"${word}" is an agent, not a command`, { hint: `agentmux-run ${word}` });
  }
  await program.parseAsync([word], { from: 'user' });
}

function findCommand(program: Command, word: string): Command | undefined {
  return program.commands.find((command) => command.name() === word || command.aliases().includes(word));
}
