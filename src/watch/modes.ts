import { actionOf, KEY_HELP } from './bindings.ts';
import type { Updated } from './effects.ts';
import type { Key } from './keys.ts';
import type { Mode, WatchState } from './state.ts';

/** A key while the filter is typed: what it has so far is applied at once. Enter keeps it, Esc takes it back. */
export function typeFilterKey(state: WatchState, mode: Extract<Mode, { type: 'filter' }>, key: Key): WatchState {
  if (key.type !== 'named') return { ...state, filter: (state.filter + oneLine(key.text)).slice(0, LONGEST_FILTER) };
  switch (key.name) {
    case 'enter':
    case 'tab':
      return { ...state, mode: { type: 'normal' } };
    case 'escape':
      return { ...state, filter: mode.before, mode: { type: 'normal' } };
    case 'backspace':
      return { ...state, filter: withoutLast(state.filter) };
    case 'ctrl-u':
      return { ...state, filter: '' };
    default:
      return state;
  }
}

/** A key in a dialog. Of a plan only `y` does anything; any key that does not scroll leaves the help. */
export function typeDialogKey(state: WatchState, mode: Extract<Mode, { type: 'plan' | 'help' }>, key: Key): Updated {
  const action = actionOf(key);
  if (action?.type === 'move') {
    const step = action.by === 'line' ? 1 : state.size.rows >> 1;
    const bottom = mode.type === 'help' ? KEY_HELP.length - 1 : mode.plan.targets.length + mode.plan.notes.length;
    const moved = action.by === 'all' ? (action.direction === 1 ? bottom : 0) : mode.top + action.direction * step;
    return { state: { ...state, mode: { ...mode, top: Math.min(bottom, Math.max(0, moved)) } }, effects: [] };
  }
  const left: WatchState = { ...state, mode: { type: 'normal' } };
  if (mode.type === 'help') return { state: left, effects: [] };
  if (key.type === 'text' && key.text === 'y') {
    return { state: { ...left, busy: 'ending …' }, effects: [{ type: 'kill', request: mode.request }] };
  }
  const isNo =
    key.type === 'named' ? key.name === 'escape' : key.type === 'text' && (key.text === 'n' || key.text === 'q');
  return { state: isNo ? left : state, effects: [] };
}

const LONGEST_FILTER = 200;

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '');
}

function withoutLast(text: string): string {
  return [...new Intl.Segmenter().segment(text)]
    .slice(0, -1)
    .map(({ segment }) => segment)
    .join('');
}
