import type { ScreenSize, WatchPlan } from '../render/screen-types.ts';
import { act } from './act.ts';
import { actionOf } from './bindings.ts';
import type { Updated } from './effects.ts';
import { addHistory } from './history.ts';
import type { Key } from './keys.ts';
import { typeDialogKey, typeFilterKey } from './modes.ts';
import type { Observation } from './observation.ts';
import { type KillRequest, settle, type WatchState } from './state.ts';

/** What happens to the view. */
export type WatchEvent =
  | { readonly type: 'key'; readonly key: Key }
  | { readonly type: 'observed'; readonly observation: Observation }
  | { readonly type: 'resized'; readonly size: ScreenSize }
  | { readonly type: 'clock'; readonly nowMs: number }
  | { readonly type: 'planned'; readonly plan: WatchPlan; readonly request: KillRequest }
  /** A kill has begun or goes on. */
  | { readonly type: 'busy'; readonly text: string }
  | { readonly type: 'done'; readonly text: string; readonly isWarning: boolean }
  | { readonly type: 'told'; readonly text: string; readonly isWarning: boolean };

/** The state after an event, and what is to be done. Pure; never throws, whatever comes in whatever order. */
export function update(state: WatchState, event: WatchEvent): Updated {
  const { state: next, effects } = apply(state, event);
  return { state: settle(next, state), effects };
}

/** How long a message stays at the bottom, ms. */
const MESSAGE_MS = 6000;

function apply(state: WatchState, event: WatchEvent): Updated {
  switch (event.type) {
    case 'key':
      return typeKey(state, event.key);
    case 'observed': {
      const isFirst = state.observation.blocks.length === 0 && state.observation.rows.size === 0;
      const observation = addHistory(isFirst ? undefined : state.observation, event.observation);
      return only(expire({ ...state, observation, nowMs: event.observation.atMs }));
    }
    case 'resized':
      return only({ ...state, size: event.size });
    case 'clock':
      return only(expire({ ...state, nowMs: event.nowMs }));
    case 'planned':
      if (event.plan.targets.length === 0) return only(tell(state, 'nothing to end', false));
      return only({
        ...state,
        message: undefined,
        mode: { type: 'plan', plan: event.plan, request: event.request, top: 0 },
      });
    case 'busy':
      return only({ ...state, busy: event.text });
    case 'done':
      return only(tell({ ...state, busy: undefined, mayLeave: false }, event.text, event.isWarning));
    case 'told':
      return only(tell(state, event.text, event.isWarning));
  }
}

function typeKey(state: WatchState, key: Key): Updated {
  if (key.type === 'named' && (key.name === 'ctrl-c' || key.name === 'ctrl-z' || key.name === 'ctrl-l')) {
    return act(state, actionOf(key), tell);
  }
  switch (state.mode.type) {
    case 'normal':
      return act({ ...state, message: undefined }, actionOf(key), tell);
    case 'filter':
      return only(typeFilterKey(state, state.mode, key));
    case 'plan':
    case 'help':
      return typeDialogKey(state, state.mode, key);
  }
}

/** The state with a message at its bottom. */
function tell(state: WatchState, text: string, isWarning: boolean): WatchState {
  return { ...state, message: { text, isWarning, untilMs: state.nowMs + MESSAGE_MS } };
}

function expire(state: WatchState): WatchState {
  const { message } = state;
  return message !== undefined && message.untilMs <= state.nowMs ? { ...state, message: undefined } : state;
}

function only(state: WatchState): Updated {
  return { state, effects: [] };
}
