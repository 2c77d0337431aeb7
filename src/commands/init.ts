import { Argument, type Command } from 'commander';
import { profiles } from '../agents/profiles.ts';
import type { Context } from '../context.ts';
import { type ShellName, shellNames } from '../render/completion-scripts.ts';
import { renderInit } from '../render/init-scripts.ts';
import { examplesHelp } from './shared/help.ts';

/** `agentmux init`: what makes a shell run agents through agentmux-run. */
export function registerInit(program: Command, context: Context): void {
  const commands = profiles.flatMap((profile) => profile.commands);
  program
    .command('init')
    .summary('print what makes a shell track agents')
    .description(
      `Print functions for a shell that run ${commands.join(', ')} through agentmux-run. An alias of yours for one of them ` +
        'keeps its arguments if it is a plain command; what is more than that is left as it is and named. ' +
        'AGENTMUX=off in front of a command leaves agentmux-run out. What to set in editors is told at the end of the output.',
    )
    .addArgument(new Argument('<shell>', 'which shell').choices([...shellNames]))
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action((shell: ShellName) => context.stdout.write(renderInit(shell, commands)));
}

const EXAMPLES = [
  ['eval "$(agentmux init bash)"', 'in ~/.bashrc, after your aliases; zsh likewise'],
  ['agentmux init fish | source', 'in config.fish'],
  ['agentmux init powershell | Out-String | Invoke-Expression', 'in $PROFILE'],
  ['AGENTMUX=off claude', 'for once without agentmux-run'],
] as const;
