import type { Context } from '../../context.ts';
import { AgentmuxError } from '../../errors.ts';
import { escapeUntrusted } from '../../render/untrusted.ts';
import type { UnreadableRecord } from '../../state/store.ts';
import type { BlockView } from '../../trackers/inspect.ts';
import { familyOf } from '../../trackers/subject.ts';
import { openLookup } from './lookup.ts';
import { type BlockLookup, type BlockOption, type Caller, selectListed } from './target.ts';

/** The blocks that a listing is about, as they are now. */
export interface Listing {
  readonly views: readonly BlockView[];
  /** State files that could not be read. */
  readonly unreadable: readonly UnreadableRecord[];
  /** How many blocks there are on record, shown or not. */
  readonly recorded: number;
}

export interface ListingRequest {
  readonly block: BlockOption;
  /** Which are shown if none is named: those with something alive, those of other machines too, or all on record. */
  readonly scope: 'live' | 'known' | 'recorded';
  /** What was typed, for hints. */
  readonly command: string;
}

/**
 * Looks at the blocks. A named one comes with the blocks that were started inside it. Says on standard error which state
 * files cannot be read. Throws AgentmuxError as selectListed does.
 */
export function openListing(context: Context, request: ListingRequest): Listing {
  const { lookup, caller } = openLookup(context, request.command);
  for (const { path, reason, detail } of lookup.unreadable) {
    context.stderr.write(`warning: ${escapeUntrusted(path)} is not used (${reason}): ${escapeUntrusted(detail)}\n`);
  }
  const views = selectViews(request, lookup, caller);
  for (const view of views) recordSeen(context, view);
  return { views: sortByParent(views), unreadable: lookup.unreadable, recorded: lookup.records.length };
}

function selectViews({ block, scope }: ListingRequest, lookup: BlockLookup, caller: Caller): BlockView[] {
  if (block !== undefined) {
    return selectListed(block, lookup, caller).flatMap((view) => {
      const inner = familyOf(view.record, lookup.records).slice(1);
      return [view, ...inner.map((record) => lookup.view(record)).filter(({ status }) => status !== 'ended')];
    });
  }
  if (scope === 'live') return selectListed(undefined, lookup, caller);
  const views = lookup.records.map((record) => lookup.view(record));
  // A foreign record of a run that ended tells nothing that anybody waits for.
  const isKnown = ({ status, record }: BlockView): boolean =>
    status !== 'ended' && (status !== 'elsewhere' || record.state !== 'ended');
  return scope === 'recorded' ? views : views.filter(isKnown);
}

/**
 * Keeps what only descent tells of, so that it stays a member when its parents have gone: what left the enclosure, and
 * what a scan found whose wrapper is no longer there to keep it, or cannot: where orphans are adopted by nobody the wrapper
 * looks but once a second. A directory that cannot be written is no error here.
 */
export function recordSeen(context: Context, { record, members, wrapperAlive }: BlockView): void {
  const { bootId } = context.platform.host();
  const isKept = wrapperAlive && context.platform.os === 'linux';
  const found = members.flatMap(({ pid, startTicks, source, escaped }) =>
    (source === 'descent' || source === 'group') && startTicks !== undefined && (escaped || !isKept)
      ? [{ pid, startTicks, bootId }]
      : [],
  );
  if (found.length === 0) return;
  try {
    const known = new Set(context.store.recorded(record.id).map(({ pid, startTicks }) => `${pid}:${startTicks}`));
    const added = found.filter(({ pid, startTicks }) => !known.has(`${pid}:${startTicks}`));
    if (added.length > 0) context.store.record(record.id, added, 'reader');
  } catch (error) {
    if (!(error instanceof AgentmuxError)) throw error;
  }
}

/** Each block followed by those inside it, else as they were: oldest first. */
function sortByParent(views: readonly BlockView[]): BlockView[] {
  const ids = new Set(views.map(({ record }) => record.id));
  const sorted: BlockView[] = [];
  const add = (view: BlockView): void => {
    if (sorted.includes(view)) return;
    sorted.push(view);
    for (const inner of views) if (inner.record.parentId === view.record.id) add(inner);
  };
  for (const view of views) if (view.record.parentId === undefined || !ids.has(view.record.parentId)) add(view);
  for (const view of views) add(view);
  return sorted;
}
