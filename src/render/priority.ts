import type { Priority, PriorityResult } from '../model/priority.ts';
import { formatCount } from './format.ts';

/** Who asked, as far as it decides what can be typed. */
export interface PriorityFacts {
  readonly blockId: string;
  readonly priority: Priority;
  readonly os: 'linux' | 'darwin' | 'win32' | 'other';
  readonly isRoot: boolean;
}

/** What became of it, for people; without refusals one sentence. */
export function describePriority(result: PriorityResult, { blockId, priority }: PriorityFacts): string {
  const count = result.done.length;
  if (count === 0 && result.refused.length === 0) return `nothing of "${blockId}" lives`;
  const verb = count === 1 ? 'runs' : 'run';
  return `${formatCount(count, 'process', 'processes')} of ${blockId} ${verb} at ${words(priority)} now, and what ${count === 1 ? 'it starts' : 'they start'}`;
}

/** Who was refused, and what to type about it. */
export function describeRefusals(result: PriorityResult, facts: PriorityFacts): string[] {
  const { refused } = result;
  if (refused.length === 0) return [];
  const codes = [...new Set(refused.map(({ code }) => code))].join(', ');
  const who = `${formatCount(refused.length, 'process', 'processes')} of ${facts.blockId}`;
  const command = improvePriority(result, facts);
  const only = facts.priority === 'normal' && facts.os !== 'win32' && !facts.isRoot;
  return [
    `${who} cannot be set to ${words(facts.priority)} (${codes})${only ? ': only root may raise it again' : ''}`,
    ...(command === undefined ? [] : [`to do it: ${command}`]),
  ];
}

/** The command that would do what was refused; undefined if there is none. */
export function improvePriority(
  { refused }: PriorityResult,
  { blockId, priority, os, isRoot }: PriorityFacts,
): string | undefined {
  if (refused.length === 0) return undefined;
  if (os === 'win32') return `in an elevated prompt: agentmux priority --block ${blockId} ${priority}`;
  if (isRoot) return undefined;
  const pids = refused.map(({ pid }) => pid);
  // renice(1) knows the first thread alone.
  const targets = os === 'linux' ? `$(ps -L -o lwp= -p ${pids.join(',')})` : pids.join(' ');
  return `sudo renice ${priority === 'normal' ? 0 : 10} -p ${targets}`;
}

function words(priority: Priority): string {
  return `${priority} priority`;
}
