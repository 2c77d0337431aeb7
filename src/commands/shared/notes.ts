import { describeMovedSession, findMovedSessions } from '../../calls/moved-sessions.ts';
import type { Context } from '../../context.ts';
import type { RunRecord } from '../../model/block.ts';
import type { BlockSummary } from '../../render/block-table.ts';
import { describeStatus } from '../../render/block-table.ts';
import { formatAge, formatConfidence, formatCount } from '../../render/format.ts';
import type { ShownRow } from '../../render/process-table.ts';
import { escapeUntrusted } from '../../render/untrusted.ts';
import type { BlockView } from '../../trackers/inspect.ts';
import { findCoverageNotes } from '../../trackers/select.ts';
import type { Listing } from './listing.ts';
import { summarize } from './summaries.ts';

export interface RowNotesRequest {
  readonly all?: boolean;
  readonly verbose?: boolean;
  /** True if a filter took rows away. */
  readonly filtered: boolean;
  /** To whom calls of a block handed work that is no member of it. */
  readonly handOversOf?: (view: BlockView) => readonly string[];
  /** Ports of a block that are of no row without `--all`. */
  readonly ownPortsOf?: (view: BlockView) => readonly number[];
}

/**
 * What people should know about a list of rows beside them, on standard error: which blocks have none and why, and what
 * tellAboutBlocks says.
 */
export function tellAboutRows(
  context: Context,
  listing: Listing,
  rows: readonly ShownRow[],
  request: RowNotesRequest,
): void {
  tellAboutBlocks(context, listing, { verbose: request.verbose ?? false });
  if (rows.length === 0 && request.filtered) tell(context, 'no process matches the filter');
  if (request.filtered) return;
  for (const view of listing.views) {
    const names = request.handOversOf?.(view) ?? [];
    if (names.length > 0) {
      tell(context, `${view.record.id}: work was handed to ${names.join(', ')}: what runs there is no member`);
    }
    const block = summarize(view);
    const isAll = request.all ?? false;
    const ports = isAll ? [] : (request.ownPortsOf?.(view) ?? []);
    if (ports.length > 0) tell(context, `${block.id}: its own processes listen on ${listSome(ports)}`);
    if (rows.some((row) => row.blockId === block.id)) continue;
    tell(context, describeEmpty(block, view.record.runs.at(-1), context.now(), isAll));
  }
}

/**
 * On standard error: that there are no blocks, zombies, what cannot be seen; with `verbose` how each block is tracked.
 * Silent where there is nothing to say.
 */
export function tellAboutBlocks(context: Context, listing: Listing, request: { readonly verbose: boolean }): void {
  if (listing.views.length === 0) tell(context, describeNoBlocks(listing));
  for (const view of listing.views) {
    const block = summarize(view);
    const { id, zombies } = block;
    if (request.verbose) for (const line of describeTracking(block)) tell(context, line);
    for (const { parentPid, count } of zombies) {
      tell(context, `${id}: ${formatCount(count, 'zombie', 'zombies')}, parent ${parentPid}`);
    }
    const hidden = view.members.filter((member) => member.stat === undefined).length;
    if (view.status === 'leftovers' || view.status === 'wrapper-gone') tellAboutMoved(context, view);
    if (hidden > 0)
      tell(context, `${id}: of ${formatCount(hidden, 'process', 'processes')} only the pid can be seen here`);
  }
  if (listing.views.length > 0 && findCoverageNotes(context.platform).length > 0) {
    tell(context, '/proc hides the processes of other users here: what they run for a block may be missing');
  }
}

/** How a block is tracked, and why not better: one line each. */
export function describeTracking(block: BlockSummary): string[] {
  const { id, tracker } = block;
  const where = tracker.scope ?? tracker.cgroupPath ?? tracker.job?.name;
  const how = `tracker ${tracker.type} (${formatConfidence(tracker.confidence)})`;
  return [
    `${id}: ${describeStatus(block)}; ${how}${where === undefined ? '' : `, ${where}`}`,
    ...tracker.reasons.map(({ code, detail }) => `${id}: ${code}: ${detail}`),
  ];
}

/** Where an agent has ended, its session may go on in a daemon that is no member. */
function tellAboutMoved({ platform, store, stderr }: Context, { record, members }: BlockView): void {
  for (const moved of findMovedSessions(record, members, platform, store)) {
    stderr.write(`${escapeUntrusted(describeMovedSession(moved, record))}\n`);
  }
}

function tell(context: Context, text: string): void {
  context.stderr.write(`${escapeUntrusted(text)}\n`);
}

function describeNoBlocks({ recorded }: Listing): string {
  return recorded === 0
    ? 'no blocks: agentmux-run COMMAND starts one'
    : 'no block has live processes: agentmux blocks --all shows those that ended';
}

function listSome(ports: readonly number[]): string {
  const more = ports.length > MOST_PORTS ? ` and ${ports.length - MOST_PORTS} more` : '';
  return `${ports.slice(0, MOST_PORTS).join(', ')}${more}`;
}

const MOST_PORTS = 10;

function describeEmpty(block: BlockSummary, run: RunRecord | undefined, nowMs: number, all: boolean): string {
  const { id, status, processes, tracker } = block;
  const endedAtMs = run?.endedAtMs;
  if (tracker.type === 'stub' && status !== 'ended') return `${id}: not tracked`;
  if (status === 'elsewhere') return `${id}: ${describeStatus(block)}`;
  if (status === 'ended') {
    return `${id}: ended${endedAtMs === undefined ? '' : ` ${formatAge(nowMs - endedAtMs)} ago`}, nothing of it runs`;
  }
  if (all || !processes) return `${id}: nothing runs`;
  const own = formatCount(processes, 'process of its own', 'processes of its own');
  const where = run?.tty === undefined ? '' : ` on ${run.tty}`;
  return `${id}: nothing agent-started; ${own}${where}: agentmux ps --all --block ${id}`;
}
