import type { Command } from 'commander';
import { createBareProgram } from './commands/shared/bare-program.ts';
import { configurationHelp, examplesHelp, exitCodesHelp } from './commands/shared/help.ts';
import type { Context } from './context.ts';

/** Adds a command with its flags and help. */
export type Register = (program: Command, context: Context) => void;

/** `agentmux` with these commands. Does nothing and reads nothing until it is parsed. */
export function createRootCommand(context: Context, registers: readonly Register[]): Command {
  const program = createBareProgram('agentmux', context)
    .description('See what AI agents started on this machine, and end it reliably.')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .usage('<command> [options]');
  for (const register of registers) register(program, context);
  program.addHelpText('after', examplesHelp(EXAMPLES)).addHelpText('after', configurationHelp());
  program.addHelpText('after', exitCodesHelp());
  for (const command of program.commands) {
    const name = command.name();
    if (name !== 'run') command.addHelpText('after', exitCodesHelp(name));
  }
  return program;
}

/** The two that are known by heart soonest; for the short help too. */
export const EXAMPLES = [
  ['agentmux-run claude', 'run an agent so that it is tracked'],
  ['agentmux ps', 'list what the agents here started'],
] as const;
