import { Argument, type Command } from 'commander';
import type { Context } from '../context.ts';
import { AgentmuxError } from '../errors.ts';
import { renderCompletion, type ShellName, shellNames } from '../render/completion-scripts.ts';
import { escapeUntrusted } from '../render/untrusted.ts';
import { type CompletionAnswer, type CompletionValues, completeLine } from './shared/complete-line.ts';
import { createCompletionValues } from './shared/completion-values.ts';
import { examplesHelp } from './shared/help.ts';

/** `agentmux completion`: completions of a shell. */
export function registerCompletion(program: Command, context: Context): void {
  program
    .command('completion')
    .summary('print the completions of a shell')
    .description(
      'Print completions of agentmux and agentmux-run for a shell: commands, flags, and the blocks, pids and ports that ' +
        'live at that moment. Behind agentmux-run the completions of the agent follow.',
    )
    .addArgument(new Argument('<shell>', 'which shell').choices([...shellNames]))
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action((shell: ShellName) => context.stdout.write(renderCompletion(shell)));
}

const EXAMPLES = [
  ['eval "$(agentmux completion bash)"', 'in ~/.bashrc; zsh likewise, after compinit'],
  ['agentmux completion fish | source', 'in config.fish'],
  ['agentmux completion powershell | Out-String | Invoke-Expression', 'in $PROFILE'],
] as const;

/**
 * Answers `INDEX -- WORD…` with lines for the shells' scripts. Says nothing about anything that goes wrong: a shell is in
 * the middle of a line. `loadProgram` gives the program with
 * the command of that name, or with all.
 */
export async function complete(
  argv: readonly string[],
  context: Context,
  loadProgram: (command: string | undefined) => Promise<Command>,
): Promise<void> {
  const [index = '', dashes, ...words] = argv;
  if (!/^\d{1,4}$/.test(index) || dashes !== '--') return;
  // Every command is needed only for their list.
  const program = await loadProgram(Number(index) === 0 ? undefined : words[0]);
  const answer = completeLine(program, words, Number(index), quiet(createCompletionValues(context)));
  context.stdout.write(renderAnswer(answer));
}

/** Without state, or with one that cannot be trusted, there is nothing to offer. */
function quiet(values: CompletionValues): CompletionValues {
  const guard = <T>(ask: () => readonly T[]): readonly T[] => {
    try {
      return ask();
    } catch (error) {
      if (error instanceof AgentmuxError) return [];
      throw error;
    }
  };
  return {
    option: (...args) => guard(() => values.option(...args)),
    operand: (...args) => guard(() => values.operand(...args)),
  };
}

function renderAnswer(answer: CompletionAnswer): string {
  if (answer.type === 'command') return `\tcommand ${answer.index}\n`;
  return answer.offers
    .filter(({ value }) => SAFE.test(value))
    .slice(0, MOST)
    .map(({ value, text }) => `${value}\t${clip(escapeUntrusted(text))}\n`)
    .join('');
}

/** What no shell reads as anything but itself, whatever quotes a script forgets. */
const SAFE = /^[A-Za-z0-9._:=,-]+$/;
const MOST = 500;
const LONGEST_TEXT = 70;

function clip(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST_TEXT ? text : `${characters.slice(0, LONGEST_TEXT - 1).join('')}…`;
}
