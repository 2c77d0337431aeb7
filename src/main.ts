import type { Context } from './context.ts';
import { createNodeContext } from './node-context.ts';
import { settle } from './outcome.ts';
import { createProgram, helpFor, namesFor, parseProgram } from './program.ts';

/** Runs `agentmux` with the words after its name and resolves to the exit code; never rejects. */
export async function main(argv: readonly string[], context: Context = createNodeContext()): Promise<number> {
  return settle({ argv, context, help: helpFor(argv) }, async () =>
    parseProgram(await createProgram(context, namesFor(argv)), argv, context),
  );
}
