import type { ListItem } from '../render/screen-types.ts';
import { rowKey } from './observation.ts';
import { selectedItem, type WatchState } from './state.ts';

type ProcessItem = Extract<ListItem, { type: 'process' }>;

/**
 * Folds or unfolds the selected line of the tree: what is below it, else the group of equal processes that it stands
 * for. Closing what is closed goes to the line above that it hangs on.
 */
export function foldList(state: WatchState, how: 'open' | 'close' | 'toggle'): WatchState {
  const item = selectedItem(state);
  if (state.view !== 'tree' || item?.type !== 'process') return state;
  const isFolded = item.hidden > 0;
  const isGroup = item.rows.length > 1;
  const isClosed = isFolded || isGroup;
  if (how !== 'close' && isFolded) return { ...state, folded: without(state.folded, item.key) };
  if (how !== 'close' && isGroup) return { ...state, unfolded: added(state.unfolded, item.key) };
  if (how === 'open') return state;
  if (!isClosed && hasBelow(state)) return { ...state, folded: added(state.folded, item.key) };
  return closeAround(state, item, how);
}

function closeAround(state: WatchState, item: ProcessItem, how: 'close' | 'toggle'): WatchState {
  const group = findGroup(state, item);
  if (group !== undefined) return { ...state, unfolded: without(state.unfolded, group), itemKey: group };
  const parent = how === 'close' ? findParent(state, item) : undefined;
  return parent === undefined ? state : { ...state, itemKey: parent };
}

/** In a tree the lines below a process have longer branches and come right after it. */
function hasBelow({ items, item }: WatchState): boolean {
  const [at, next] = [items[item], items[item + 1]];
  return at?.type === 'process' && next?.type === 'process' && next.branch.length > at.branch.length;
}

/** The key of the unfolded group that the line belongs to: of equal siblings the oldest names it. */
function findGroup({ items, unfolded }: WatchState, item: ProcessItem): string | undefined {
  const { command, parentPid, role } = item.row;
  const first = items.find(
    (other) =>
      other.type === 'process' &&
      unfolded.has(other.key) &&
      other.row.command === command &&
      other.row.role === role &&
      (other.row.parentPid === parentPid || item.row.orphan),
  );
  return first?.type === 'process' ? rowKey(first.row) : undefined;
}

function findParent({ items, item: at }: WatchState, item: ProcessItem): string | undefined {
  for (let index = at - 1; index >= 0; index -= 1) {
    const above = items[index];
    if (above?.type === 'process' && above.branch.length < item.branch.length) return above.key;
  }
  return undefined;
}

function added(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return new Set([...set, key]);
}

function without(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return new Set([...set].filter((one) => one !== key));
}
