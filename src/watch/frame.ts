import { renderScreen } from '../render/screen.ts';
import type { LineView } from '../render/screen-line.ts';
import type { ScreenInput } from '../render/screen-types.ts';
import { hintsFor, KEY_HELP } from './bindings.ts';
import { SORTS } from './list-sort.ts';
import { dialogOf, selectedBlock, type WatchState } from './state.ts';

/** The lines of the screen for a state. */
export function drawState(state: WatchState, view: Omit<LineView, 'columns'>): string[] {
  return renderScreen(toInput(state), view);
}

function toInput(state: WatchState): ScreenInput {
  return {
    size: state.size,
    nowMs: state.nowMs,
    blocks: state.observation.blocks,
    blocksTop: state.blocksTop,
    block: state.block,
    focus: state.focus,
    items: state.items,
    itemsTop: state.itemsTop,
    item: state.item,
    listTitle: titleOf(state),
    emptyText: emptyText(state),
    all: state.all,
    dialog: dialogOf(state.mode, KEY_HELP),
    footer: footerOf(state),
  };
}

function titleOf(state: WatchState): string {
  const block = selectedBlock(state);
  if (block === undefined) return 'processes';
  const what = state.view === 'entries' ? 'entries' : state.all ? 'all processes' : 'agent-started';
  const how = state.view === 'entries' ? '' : `, ${state.view}, by ${SORTS[state.sort]}`;
  const filter = state.filter.trim() === '' ? '' : `, filter "${state.filter.trim()}"`;
  return `${block.id}: ${what}${how}${filter}`;
}

function emptyText(state: WatchState): string {
  const block = selectedBlock(state);
  if (block === undefined) return '';
  if (state.filter.trim() !== '') return 'nothing matches the filter; Esc ends it';
  if (block.tracker.type === 'stub') return 'not tracked';
  if (state.view === 'entries') return 'no background or detached things';
  if (state.all) return 'nothing runs';
  return 'nothing agent-started; a shows all processes';
}

function footerOf(state: WatchState): ScreenInput['footer'] {
  if (state.mode.type === 'filter') return { type: 'input', label: '/', text: state.filter };
  if (state.mode.type === 'plan') {
    return {
      type: 'keys',
      hints: [
        ['y', 'end them'],
        ['n', 'leave them alone'],
        [state.unicode ? '↑↓' : 'up/down', 'scroll'],
      ],
    };
  }
  if (state.mode.type === 'help') return { type: 'keys', hints: [['any key', 'back']] };
  if (state.message !== undefined) return { type: 'message', ...state.message };
  if (state.busy !== undefined) return { type: 'message', text: state.busy, isWarning: false };
  return { type: 'keys', hints: hintsFor(state.view) };
}
