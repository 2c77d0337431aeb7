import { setTimeout as delay } from 'node:timers/promises';
import type { Output } from '../../context.ts';

/**
 * Calls `look` at once and then every `intervalMs`, counted from start to start; no two at a time. Ends when it answers
 * false or the reader of the output has gone.
 */
export async function everyTick(output: Output, intervalMs: number, look: () => boolean): Promise<void> {
  for (let due = performance.now(); output.isOpen && look(); ) {
    const now = performance.now();
    // After a suspension no looks are made up for.
    due = Math.max(due + intervalMs, now);
    await delay(due - now);
  }
}
