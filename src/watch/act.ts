import { sharePanes } from '../render/screen-panes.ts';
import type { ListItem } from '../render/screen-types.ts';
import type { Action } from './bindings.ts';
import type { Effect, Updated } from './effects.ts';
import { foldList } from './fold-list.ts';
import { dropGone } from './history.ts';
import { SORTS } from './list-sort.ts';
import { rowKey } from './observation.ts';
import { selectedBlock, selectedItem, type WatchState } from './state.ts';

type Tell = (state: WatchState, text: string, isWarning: boolean) => WatchState;

/** What a key does outside of dialogs. */
export function act(state: WatchState, action: Action | undefined, tell: Tell): Updated {
  switch (action?.type) {
    case undefined:
      return only(state);
    case 'quit':
      return state.busy === undefined || state.mayLeave
        ? effect(state, { type: 'quit' })
        : only(warnOfLeaving(state, tell));
    case 'interrupt':
    case 'suspend':
    case 'redraw':
      return effect(state, { type: action.type });
    case 'move':
      return only(move(state, action));
    case 'pane':
      return only({ ...state, focus: state.focus === 'blocks' ? 'list' : 'blocks' });
    case 'fold':
      return only(state.focus === 'blocks' ? enterList(state, action.how) : foldList(state, action.how));
    case 'view':
      return only(show(state, action.view, tell));
    case 'next-view':
      return only(showNext(state));
    case 'all':
      return only(ofProcesses(state, { all: !state.all }, tell));
    case 'sort':
      return only(ofProcesses(state, { sort: (state.sort + 1) % SORTS.length }, tell));
    case 'filter':
      return only({ ...state, focus: 'list', mode: { type: 'filter', before: state.filter } });
    case 'clear-filter':
      return only({ ...state, filter: '' });
    case 'help':
      return only({ ...state, mode: { type: 'help', top: 0 } });
    case 'drop-gone':
      return only({ ...state, observation: dropGone(state.observation) });
    case 'kill':
      return planKill(state, tell);
    case 'kill-tree':
      return planKillTree(state, tell);
    case 'freeze':
      return freeze(state, tell);
  }
}

function only(state: WatchState): Updated {
  return { state, effects: [] };
}

function effect(state: WatchState, ...effects: readonly Effect[]): Updated {
  return { state, effects };
}

/** The kill would stop half-way: the second time it is meant. */
function warnOfLeaving(state: WatchState, tell: Tell): WatchState {
  return tell({ ...state, mayLeave: true }, 'a kill is under way: q again leaves what it has not ended', true);
}

function move(state: WatchState, { by, direction }: Extract<Action, { type: 'move' }>): WatchState {
  const panes = sharePanes(state.size.rows, state.observation.blocks.length);
  const isList = state.focus === 'list';
  const count = isList ? state.items.length : state.observation.blocks.length;
  const page = Math.max(1, (isList ? panes.list : panes.blocks) - 1);
  const step = by === 'line' ? 1 : by === 'page' ? page : count;
  const at = Math.max(0, Math.min(count - 1, (isList ? state.item : state.block) + direction * step));
  return isList ? { ...state, itemKey: state.items[at]?.key, item: at } : selectBlock(state, at);
}

function selectBlock(state: WatchState, at: number): WatchState {
  const blockId = state.observation.blocks[at]?.id;
  return blockId === state.blockId ? state : { ...state, block: at, blockId, itemKey: undefined, item: 0, itemsTop: 0 };
}

function enterList(state: WatchState, how: 'open' | 'close' | 'toggle'): WatchState {
  return how === 'close' ? state : { ...state, focus: 'list' };
}

/** A change of what entries do not have. */
function ofProcesses(state: WatchState, change: Partial<WatchState>, tell: Tell): WatchState {
  return state.view === 'entries' ? tell(state, 'entries are all shown, as they came', false) : { ...state, ...change };
}

function show(state: WatchState, view: WatchState['view'], tell: Tell): WatchState {
  if (view === 'entries' && state.observation.entries === undefined)
    return tell(state, 'entries are not known here', false);
  return { ...state, view };
}

function showNext(state: WatchState): WatchState {
  const views = (['entries', 'tree', 'flat'] as const).filter(
    (view) => view !== 'entries' || state.observation.entries !== undefined,
  );
  return { ...state, view: views[(views.indexOf(state.view) + 1) % views.length] ?? 'tree' };
}

function planKill(state: WatchState, tell: Tell): Updated {
  const block = selectedBlock(state);
  const item = selectedItem(state);
  if (state.busy !== undefined) return only(tell(state, 'a kill is under way', true));
  if (state.focus === 'blocks') return only(tell(state, 'K ends the whole block; Tab goes to its processes', false));
  if (block === undefined || item === undefined) return only(state);
  const named = nameProcesses(state, item);
  if (named.length === 0) return only(tell(state, 'it has exited', false));
  return effect(state, { type: 'plan', request: { type: 'processes', blockId: block.id, named } });
}

type Named = { readonly pid: number; readonly startTicks: number | undefined };

/** The live processes of a line, each by its identity. */
function nameProcesses(state: WatchState, item: ListItem): Named[] {
  if (item.type === 'process') {
    return item.rows.filter((row) => row.goneAtMs === undefined).map(({ pid, startTicks }) => ({ pid, startTicks }));
  }
  const rows = state.observation.rows.get(state.blockId ?? '') ?? [];
  const { entry } = item;
  const pids = new Set(entry.pids);
  const unique = new Map(
    rows.filter((row) => row.goneAtMs === undefined && pids.has(row.pid)).map((row) => [rowKey(row), row]),
  );
  return [...unique.values()].map(({ pid, startTicks }) => ({ pid, startTicks }));
}

function planKillTree(state: WatchState, tell: Tell): Updated {
  const block = selectedBlock(state);
  if (state.busy !== undefined) return only(tell(state, 'a kill is under way', true));
  if (block === undefined || block.goneAtMs !== undefined) return only(tell(state, 'no block is selected', false));
  return effect(state, { type: 'plan', request: { type: 'block', blockId: block.id } });
}

function freeze(state: WatchState, tell: Tell): Updated {
  const block = selectedBlock(state);
  if (block === undefined || block.goneAtMs !== undefined) return only(tell(state, 'no block is selected', false));
  return effect(state, { type: 'freeze', blockId: block.id, frozen: !block.frozen });
}
