import { dialogHeight } from '../render/screen.ts';
import { dialogLength } from '../render/screen-dialogs.ts';
import { sharePanes } from '../render/screen-panes.ts';
import type { ListItem, ScreenInput, ScreenSize, WatchBlock, WatchPlan } from '../render/screen-types.ts';
import { listItems } from './list-items.ts';
import { SORTS } from './list-sort.ts';
import { emptyObservation, type Observation } from './observation.ts';
import { patchItems } from './patch-items.ts';

/** What a kill is asked to end. */
export type KillRequest =
  | {
      readonly type: 'processes';
      readonly blockId: string;
      readonly named: readonly { readonly pid: number; readonly startTicks: number | undefined }[];
    }
  | { readonly type: 'block'; readonly blockId: string };

/** What the keys mean at the moment. */
export type Mode =
  | { readonly type: 'normal' }
  | { readonly type: 'help'; readonly top: number }
  /** The filter is being typed; `before` comes back on Esc. */
  | { readonly type: 'filter'; readonly before: string }
  | { readonly type: 'plan'; readonly plan: WatchPlan; readonly request: KillRequest; readonly top: number };

export interface Message {
  readonly text: string;
  readonly isWarning: boolean;
  readonly untilMs: number;
}

/** All that the screen shows and the keys act on. Immutable. */
export interface WatchState {
  readonly size: ScreenSize;
  readonly unicode: boolean;
  readonly nowMs: number;
  readonly observation: Observation;
  readonly focus: 'blocks' | 'list';
  readonly view: 'entries' | 'tree' | 'flat';
  readonly all: boolean;
  /** Index in SORTS. */
  readonly sort: number;
  readonly filter: string;
  readonly folded: ReadonlySet<string>;
  readonly unfolded: ReadonlySet<string>;
  readonly mode: Mode;
  readonly message: Message | undefined;
  /** What is being ended, in words, while a kill takes its time. */
  readonly busy: string | undefined;
  /** True once it was said that leaving now would stop a kill half-way. */
  readonly mayLeave: boolean;
  readonly blockId: string | undefined;
  readonly block: number;
  readonly blocksTop: number;
  /** Made of the rest by settle. */
  readonly items: readonly ListItem[];
  readonly itemKey: string | undefined;
  readonly item: number;
  readonly itemsTop: number;
}

export interface StateOptions {
  readonly size: ScreenSize;
  readonly unicode: boolean;
  readonly nowMs: number;
  readonly all: boolean;
}

/** The state before the first look. */
export function createState(options: StateOptions): WatchState {
  return {
    ...options,
    observation: emptyObservation(options.nowMs),
    focus: 'list',
    view: 'tree',
    sort: 0,
    filter: '',
    folded: new Set(),
    unfolded: new Set(),
    mode: { type: 'normal' },
    message: undefined,
    busy: undefined,
    mayLeave: false,
    ...{ blockId: undefined, block: -1, blocksTop: 0 },
    ...{ items: [], itemKey: undefined, item: -1, itemsTop: 0 },
  };
}

/** The block that the list is about. */
export function selectedBlock(state: WatchState): WatchBlock | undefined {
  return state.observation.blocks[state.block];
}

export function selectedItem(state: WatchState): ListItem | undefined {
  return state.items[state.item];
}

/**
 * Makes the derived parts fit the rest after any change: the lines of the list, what is selected (the same thing where
 * it still is, else what took its place), and what is scrolled into view. `before` tells what need not be made again.
 */
export function settle(state: WatchState, before: WatchState | undefined): WatchState {
  const { blocks } = state.observation;
  const block = findIndex(blocks, ({ id }) => id === state.blockId, state.block);
  const blockId = blocks[block]?.id;
  const isSame = before !== undefined && blockId === before.blockId && isSameList(state, before);
  const items = isSame ? before.items : (patch(state, before) ?? makeItems({ ...state, blockId }));
  const first = blockId === before?.blockId ? state.item : 0;
  // What a filter found is selected, not what shows its place: the next key may be one that ends it.
  const isNewFilter = before !== undefined && state.filter !== before.filter && state.filter.trim() !== '';
  const match = isNewFilter ? items.findIndex((one) => one.type === 'entry' || one.isMatch) : -1;
  const item = match !== -1 ? match : findIndex(items, ({ key }) => key === state.itemKey, first);
  const panes = sharePanes(state.size.rows, blocks.length);
  const blocksTop = scroll(state.blocksTop, block, panes.blocks, blocks.length);
  const itemsTop = scroll(blockId === before?.blockId ? state.itemsTop : 0, item, panes.list, items.length);
  const itemKey = items[item]?.key;
  const mode = settleMode(state, dialogHeight(panes));
  return { ...state, block, blockId, items, item, itemKey, blocksTop, itemsTop, mode };
}

/** The dialog of the mode, as the screen shows it. */
export function dialogOf(mode: Mode, help: readonly (readonly [string, string])[]): ScreenInput['dialog'] {
  if (mode.type === 'plan') return { type: 'plan', plan: mode.plan, top: mode.top };
  return mode.type === 'help' ? { type: 'help', lines: help, top: mode.top } : undefined;
}

/** The lines with new numbers, where that is all that changed. */
function patch(state: WatchState, before: WatchState | undefined): readonly ListItem[] | undefined {
  const isByNumbers = state.sort === 1 || state.sort === 2 || state.filter !== '';
  if (before === undefined || state.view === 'entries' || isByNumbers || !isSameRequest(state, before))
    return undefined;
  const [was, is] = [before, state].map(({ observation, blockId }) => observation.rows.get(blockId ?? ''));
  return was && is && patchItems(before.items, was, is);
}

function isSameRequest(a: WatchState, b: WatchState): boolean {
  return (['view', 'all', 'sort', 'filter', 'folded', 'unfolded', 'blockId'] as const).every(
    (key) => a[key] === b[key],
  );
}

function isSameList(a: WatchState, b: WatchState): boolean {
  const [rowsA, rowsB] = [a, b].map(({ observation, blockId }) => observation.rows.get(blockId ?? ''));
  const [entriesA, entriesB] = [a, b].map(({ observation, blockId }) => observation.entries?.get(blockId ?? ''));
  return rowsA === rowsB && entriesA === entriesB && isSameRequest(a, b);
}

function makeItems(state: WatchState): ListItem[] {
  const { observation, blockId = '' } = state;
  return listItems({
    ...state,
    rows: observation.rows.get(blockId) ?? [],
    entries: observation.entries?.get(blockId) ?? [],
    sort: SORTS[state.sort] ?? 'age',
  });
}

/** Where it is now; else the index at which it was, or the last one; -1 for an empty list. */
function findIndex<T>(items: readonly T[], isIt: (item: T) => boolean, before: number): number {
  const found = items.findIndex(isIt);
  return found !== -1 ? found : Math.min(Math.max(0, before), items.length - 1);
}

/** The first visible line: moved no further than the selected one needs. */
function scroll(top: number, selected: number, height: number, count: number): number {
  const highest = Math.max(0, count - height);
  const least = Math.max(0, selected - height + 1);
  return Math.min(highest, Math.max(least, Math.min(top, Math.max(0, selected))));
}

function settleMode({ mode }: WatchState, height: number): Mode {
  if (mode.type !== 'plan' && mode.type !== 'help') return mode;
  const dialog = dialogOf(mode, []);
  // The help has a fixed number of lines, which update.ts bounds.
  const length = dialog === undefined || mode.type === 'help' ? Number.POSITIVE_INFINITY : dialogLength(dialog);
  return { ...mode, top: Math.max(0, Math.min(mode.top, length - height)) };
}
