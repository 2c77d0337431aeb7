import type { Context } from '../../context.ts';
import { AgentmuxError } from '../../errors.ts';

export interface Danger {
  /** What will happen, as a sentence without a full stop. */
  readonly sentence: string;
  /** The same command with `--yes`, to be typed where nobody can be asked. */
  readonly command: string;
}

/**
 * Asks before more ends than was named: on a terminal a question, elsewhere `--yes` is wanted. Throws AgentmuxError
 * `refused` if the answer is no or nobody can be asked.
 */
export async function confirmDanger(context: Context, danger: Danger, yes: boolean): Promise<void> {
  if (yes) return;
  if (!context.stdinIsTTY || !context.stderr.isTTY) {
    throw new AgentmuxError('refused', danger.sentence, { code: 'needs-yes', hint: danger.command });
  }
  if (await context.confirm(`${danger.sentence}. Go on?`)) return;
  throw new AgentmuxError('refused', 'not confirmed, nothing was signalled', { code: 'not-confirmed' });
}
