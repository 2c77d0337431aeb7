import type { Priority } from '../model/priority.ts';
import type { Platform } from '../platform/platform.ts';
import { describeRefusals } from '../render/priority.ts';
import type { Tracker } from '../trackers/tracker.ts';
import { isUnreadable } from './readable.ts';
import type { Reporter } from './reporter.ts';
import type { RunBlock } from './run-block.ts';

/**
 * Gives the agent the priority that was asked for, and what it has started meanwhile; what it starts from now on inherits
 * it. A refusal is told and ends nothing.
 */
export function applyPriority(
  priority: Priority,
  tracker: Tracker,
  block: RunBlock,
  platform: Platform,
  reporter: Reporter,
): void {
  const isRoot = process.getuid?.() === 0;
  const facts = { blockId: block.record.id, priority, os: platform.os, isRoot };
  try {
    const result = tracker.setBelowNormalPriority(priority === 'below-normal');
    for (const line of describeRefusals(result, facts)) reporter.note(line);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    reporter.note(`the priority was not changed: ${error.message}`);
  }
}
