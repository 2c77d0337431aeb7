import { setTimeout as delay } from 'node:timers/promises';
import type { KeptReason } from '../kill/kept.ts';
import type { LeftoversPolicy } from '../model/block.ts';
import type { MemberView } from '../trackers/inspect.ts';
import type { Tracker } from '../trackers/tracker.ts';
import { type EndBlockOptions, endBlock, isTagOnly, lookAtBlock, openKept, recordFound } from './end-block.ts';
import { type Leftovers, renderHandOvers, renderKilled, renderLeftovers, renderSurvivors } from './leftovers-text.ts';
import type { LaunchWorld } from './world.ts';

export interface LeftoversOptions extends EndBlockOptions {
  /** The tracker that the agent was started in. */
  readonly tracker: Tracker;
  readonly policy: LeftoversPolicy;
  /** Somebody needs to know whether anything was left (`--fail-on-leak`), whatever the policy says. */
  readonly mustKnow: boolean;
  readonly world: LaunchWorld;
}

/** What became of the processes that outlived the agent. */
export interface LeftoversResult {
  /** True if there were any, also if they have been ended. */
  readonly leaked: boolean;
}

/**
 * After the agent's end: waits a moment for what is ending by itself (MCP servers are just seeing the end of their
 * input), then reports, ends, keeps or asks about the rest.
 */
export async function handleLeftovers(options: LeftoversOptions): Promise<LeftoversResult> {
  const { block, platform, tracker, policy } = options;
  if (tracker.type === 'stub' || (policy === 'keep' && !options.mustKnow)) return { leaked: false };
  await settle(tracker, options.hurry);
  const members = await lookAtBlock(block, platform);
  keepKnown(members, options);
  const kept = members.length === 0 ? new Map<number, KeptReason>() : (await openKept(options))(members);
  const leaked = members.some((member) => !isTagOnly(member) && !kept.has(member.pid));
  await tellAboutMoved(options, members);
  if (policy === 'keep') return { leaked };
  if (members.length > 0) await deal(options, members, leaked);
  await tellHandOvers(options);
  return { leaked };
}

async function deal(options: LeftoversOptions, members: readonly MemberView[], leaked: boolean): Promise<void> {
  if (options.policy !== 'kill') return reportLeftovers(options, members, leaked);
  if (leaked) await killLeftovers(options, members);
  // What is left now: kept, or known by its tag alone.
  const left = leaked ? await lookAtBlock(options.block, options.platform) : members;
  const { readLeftovers } = await import('./leftovers-facts.ts');
  const facts = await readLeftovers(options, left);
  const { kept } = facts;
  const others = facts.others.filter(({ isTagOnly }) => isTagOnly);
  if (kept.length + others.length > 0) await tell(options, { ...facts, entries: [], others });
}

/** Longest wait for the block to get empty by itself, ms. */
const settleMs = 1000;

async function settle(tracker: Tracker, hurry: AbortSignal): Promise<void> {
  const end = performance.now() + settleMs;
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    if (tracker.memberPids().length === 0) return;
    const left = end - performance.now();
    if (left <= 0 || hurry.aborted) return;
    await delay(Math.min(pause, left));
  }
}

function keepKnown(members: readonly MemberView[], { block, platform, tracker }: LeftoversOptions): void {
  try {
    recordFound(members, block, tracker, platform);
  } catch {
    // Told once already if nothing can be written.
  }
}

/** A session that went on in a daemon outside is no leftover, but its user may look for it here. */
async function tellAboutMoved({ block, platform, reporter }: LeftoversOptions, members: readonly MemberView[]) {
  if (block.record.agent === undefined) return;
  const { describeMovedSession, findMovedSessions } = await import('../calls/moved-sessions.ts');
  for (const moved of findMovedSessions(block.record, members, platform, block.store)) {
    reporter.note(describeMovedSession(moved, block.record));
  }
}

async function killLeftovers(options: LeftoversOptions, members: readonly MemberView[]): Promise<void> {
  const { block, reporter } = options;
  const { warnOfDaemons } = await import('../agents/daemons.ts');
  for (const sentence of warnOfDaemons(members)) reporter.note(`ending: ${sentence}`);
  const report = await endBlock(options);
  for (const line of renderKilled(block.record.id, report)) reporter.note(line);
  for (const line of renderSurvivors(block.record.id, report)) reporter.say(line);
}

async function reportLeftovers(
  options: LeftoversOptions,
  members: readonly MemberView[],
  leaked: boolean,
): Promise<void> {
  const { readLeftovers } = await import('./leftovers-facts.ts');
  await tell(options, await readLeftovers(options, members));
  if (options.policy !== 'ask' || !leaked) return;
  if (await options.world.confirm('End them?')) await killLeftovers(options, members);
}

async function tell({ reporter }: LeftoversOptions, leftovers: Leftovers): Promise<void> {
  const [{ cutText, loadTextWidth }, { escapeUntrusted }] = await Promise.all([
    import('../render/width.ts'),
    import('../render/untrusted.ts'),
  ]);
  const textWidth = await loadTextWidth([...leftovers.entries.map(({ row }) => escapeUntrusted(row.command)), '…']);
  const clipCells = (text: string) => cutText(escapeUntrusted(text), COMMAND_CELLS, '…', textWidth);
  for (const line of renderLeftovers(leftovers, clipCells)) reporter.note(line);
}

/** So many cells of a command are shown in a list. */
const COMMAND_CELLS = 30;

async function tellHandOvers({ block, platform, reporter, world }: LeftoversOptions): Promise<void> {
  if (reporter.isQuiet) return;
  const { findRunHandOvers } = await import('./leftovers-facts.ts');
  for (const line of renderHandOvers(findRunHandOvers(block, platform, world))) reporter.note(line);
}
