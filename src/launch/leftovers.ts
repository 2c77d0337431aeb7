import { setTimeout as delay } from 'node:timers/promises';
import type { LeftoversPolicy } from '../model/block.ts';
import type { Platform } from '../platform/platform.ts';
import type { MemberView } from '../trackers/inspect.ts';
import type { Tracker } from '../trackers/tracker.ts';
import { type EndBlockOptions, endBlock, isTagOnly, lookAtBlock, recordFound } from './end-block.ts';
import { type Leftover, renderKilled, renderLeftovers, renderSurvivors } from './leftovers-text.ts';
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
  const leaked = members.some((member) => !isTagOnly(member));
  await tellAboutMoved(options, members);
  if (members.length === 0 || policy === 'keep') return { leaked };
  if (policy === 'kill') await killLeftovers(options, members);
  else await reportLeftovers(options, members);
  return { leaked };
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
  const tagOnly = members.filter(isTagOnly);
  if (tagOnly.length > 0) await tell(options, tagOnly);
}

async function reportLeftovers(options: LeftoversOptions, members: readonly MemberView[]): Promise<void> {
  await tell(options, members);
  if (options.policy !== 'ask' || !members.some((member) => !isTagOnly(member))) return;
  if (await options.world.confirm('End them?')) await killLeftovers(options, []);
}

async function tell(options: LeftoversOptions, members: readonly MemberView[]): Promise<void> {
  const { block, platform, reporter, world } = options;
  const leftovers = await describe(members, options.block.record.id, platform, world);
  const logout = await logoutTrap(options);
  for (const line of renderLeftovers(block.record.id, leftovers, logout)) reporter.note(line);
}

async function describe(
  members: readonly MemberView[],
  blockId: string,
  platform: Platform,
  world: LaunchWorld,
): Promise<Leftover[]> {
  const [{ buildRows }, { findStreamHolders }] = await Promise.all([
    import('../annotate/rows.ts'),
    import('../platform/linux/stream-holders.ts'),
  ]);
  const pids = members.map((member) => member.pid);
  const details = new Map(pids.map((pid) => [pid, platform.readDetails(pid, { argv: true, exe: true, status: true })]));
  const rows = buildRows({
    blockId,
    members,
    details,
    listeners: platform.readListeners(pids),
    nowMs: world.now(),
    startedAtMs: (ticks) => platform.startedAtMs(ticks),
    redact: true,
  });
  const stdout = new Set(findStreamHolders(1, pids));
  const stderr = new Set(findStreamHolders(2, pids));
  return rows.map((row, i) => ({
    pid: row.pid,
    ageMs: row.ageMs,
    ports: [...new Set(row.listeners?.map((listener) => listener.port))].sort((a, b) => a - b),
    memoryBytes: row.privateBytes,
    command: row.command ?? '',
    note: row.note,
    isTagOnly: members[i] !== undefined && isTagOnly(members[i]),
    holds: [
      ...(stdout.has(row.pid) ? (['stdout'] as const) : []),
      ...(stderr.has(row.pid) ? (['stderr'] as const) : []),
    ],
  }));
}

/** In a scope of the user's manager processes die some 10 s after the last logout, unless the user lingers. */
async function logoutTrap({ block }: LeftoversOptions): Promise<string | undefined> {
  if (block.record.tracker.scope === undefined) return undefined;
  const [{ existsSync }, { userInfo }] = await Promise.all([import('node:fs'), import('node:os')]);
  if (existsSync(`/var/lib/systemd/linger/${userInfo().username}`)) return undefined;
  return 'they end some seconds after your last logout; to let them live: loginctl enable-linger';
}
