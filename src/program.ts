import type { Command } from 'commander';
import { profiles } from './agents/profiles.ts';
import { examplesHelp } from './commands/shared/help.ts';
import type { Context } from './context.ts';
import { AgentmuxError } from './errors.ts';
import { createRootCommand, EXAMPLES, type Register } from './root-command.ts';

/**
 * The commands of `agentmux` with their flags and help; `names` leaves out the others, of which nothing is loaded then.
 * Does nothing and reads nothing until it is parsed.
 */
export async function createProgram(context: Context, names = COMMAND_NAMES): Promise<Command> {
  return createRootCommand(context, await Promise.all(names.map((name) => COMMANDS[name]())));
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
  if (argv[0] === COMPLETE_WORD) {
    const { complete } = await import('./commands/completion.ts');
    const load = (first: string | undefined) =>
      createProgram(context, first === undefined ? undefined : namesFor([first]));
    await complete(argv.slice(1), context, load);
    return;
  }
  const [first = '', asked] = argv;
  await refuseUnknownCommand(program, first === 'help' ? (asked ?? '--help') : first);
  await program.parseAsync(first === 'help' && asked?.startsWith('-') ? ['--help'] : argv, { from: 'user' });
}

/** The command whose help tells about a command line, as the user would type it. */
export function helpFor(argv: readonly string[]): string {
  const only = COMMAND_NAMES.find((name) => name === argv[0]);
  return only === undefined ? 'agentmux --help' : `agentmux ${only} --help`;
}

/** What a command line needs: its command alone, all where the first word is none, none for what names no command. */
export function namesFor(argv: readonly string[]): readonly CommandName[] {
  if (argv.length === 0 || argv[0] === '--version' || argv[0] === COMPLETE_WORD) return [];
  const only = COMMAND_NAMES.find((name) => name === argv[0]);
  return only === undefined ? COMMAND_NAMES : [only];
}

/** The word by which the shells' completions ask; no command of people's. */
const COMPLETE_WORD = '__complete';

/** In the order of the help. Loaded when they are needed: a start pays for every module that it reads. */
const COMMANDS = {
  run: async () => (await import('./commands/run.ts')).registerRun,
  blocks: async () => (await import('./commands/blocks.ts')).registerBlocks,
  ps: async () => (await import('./commands/ps.ts')).registerPs,
  tree: async () => (await import('./commands/tree.ts')).registerTree,
  watch: async () => (await import('./commands/watch.ts')).registerWatch,
  events: async () => (await import('./commands/events.ts')).registerEvents,
  entries: async () => (await import('./commands/entries.ts')).registerEntries,
  kill: async () => (await import('./commands/kill.ts')).registerKill,
  'kill-tree': async () => (await import('./commands/kill-tree.ts')).registerKillTree,
  why: async () => (await import('./commands/why.ts')).registerWhy,
  ports: async () => (await import('./commands/ports.ts')).registerPorts,
  keep: async () => (await import('./commands/keep.ts')).registerKeep,
  release: async () => (await import('./commands/release.ts')).registerRelease,
  priority: async () => (await import('./commands/priority.ts')).registerPriority,
  wait: async () => (await import('./commands/wait.ts')).registerWait,
  hook: async () => (await import('./commands/hook.ts')).registerHook,
  doctor: async () => (await import('./commands/doctor.ts')).registerDoctor,
  init: async () => (await import('./commands/init.ts')).registerInit,
  completion: async () => (await import('./commands/completion.ts')).registerCompletion,
  prune: async () => (await import('./commands/prune.ts')).registerPrune,
} satisfies Record<string, () => Promise<Register>>;

type CommandName = keyof typeof COMMANDS;
const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

function shortHelp(program: Command): string {
  return [
    program.description(),
    '',
    'Usage: agentmux <command> [options]',
    examplesHelp(EXAMPLES),
    '',
    `Commands: ${COMMAND_NAMES.join(', ')}`,
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
