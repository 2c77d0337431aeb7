import { registerPs } from './commands/ps.ts';
import { createNodeContext } from './node-context.ts';
import { settle } from './outcome.ts';
import { createRootCommand } from './root-command.ts';

/**
 * As main.ts for the words `ps …`: what is asked again and again has a bundle of its own, which is a third of the whole.
 * Resolves to the exit code; never rejects.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const context = createNodeContext();
  return settle({ argv, context, help: 'agentmux ps --help' }, () =>
    createRootCommand(context, [registerPs]).parseAsync(argv, { from: 'user' }),
  );
}
