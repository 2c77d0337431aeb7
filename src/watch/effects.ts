import type { KillRequest, WatchState } from './state.ts';

/** What the view asks of the world. */
export type Effect =
  | { readonly type: 'quit' | 'interrupt' | 'suspend' | 'redraw' }
  | { readonly type: 'plan'; readonly request: KillRequest }
  | { readonly type: 'kill'; readonly request: KillRequest }
  | { readonly type: 'freeze'; readonly blockId: string; readonly frozen: boolean };

export interface Updated {
  readonly state: WatchState;
  readonly effects: readonly Effect[];
}
