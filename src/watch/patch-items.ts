import type { ListItem, WatchRow } from '../render/screen-types.ts';

/**
 * The lines with the rows of now in the place of those of before; undefined if a row came, went, or changed in more than
 * its numbers, so that the lines must be made anew. Cheap: most looks find new numbers of a few rows.
 */
export function patchItems(
  items: readonly ListItem[],
  before: readonly WatchRow[],
  now: readonly WatchRow[],
): readonly ListItem[] | undefined {
  if (before.length !== now.length) return undefined;
  const changed = new Map<WatchRow, WatchRow>();
  for (let index = 0; index < before.length; index += 1) {
    const was = before[index];
    const is = now[index];
    if (is === was) continue;
    if (was === undefined || is === undefined || !isSamePlace(was, is)) return undefined;
    changed.set(was, is);
  }
  if (changed.size === 0) return items;
  return items.map((item) => (item.type === 'process' ? patchItem(item, changed) : item));
}

type ProcessItem = Extract<ListItem, { type: 'process' }>;

function patchItem(item: ProcessItem, changed: ReadonlyMap<WatchRow, WatchRow>): ProcessItem {
  if (!item.rows.some((row) => changed.has(row))) return item;
  const rows = item.rows.map((row) => changed.get(row) ?? row);
  return { ...item, rows, row: changed.get(item.row) ?? item.row };
}

function isSamePlace(a: WatchRow, b: WatchRow): boolean {
  return PLACE.every((field) => a[field] === b[field]);
}

/** What decides where a line stands and which others it is folded with. */
const PLACE = [
  ...(['pid', 'startTicks', 'parentPid', 'role', 'command', 'agent', 'escaped', 'orphan', 'kept', 'entry'] as const),
  ...(['listeners', 'goneAtMs', 'seenAtMs'] as const),
] as const satisfies readonly (keyof WatchRow)[];
