import type { Entry } from '../model/entry.ts';
import type { WatchEntry } from '../render/screen-types.ts';
import type { ToldRows } from './block-watch.ts';

/** What is told of a block beside what the system says of its members. */
export interface Told extends ToldRows {
  /** Running ones and those that have exited. */
  readonly list: readonly Entry[];
  /** False if it will be more at the next look though nothing of the block changes. */
  readonly isSettled: boolean;
}

/** Differs where a row or an entry would be drawn otherwise. */
export function signatureOf(told: Told | undefined): string | undefined {
  if (told === undefined) return undefined;
  const entries = told.list.map(({ id, status, ports, pid }) => `${id} ${status} ${ports.join()} ${pid}`);
  return [...entries, told.calls?.size, told.entries?.size, told.list.length].join(';');
}

/** An entry of now, as the view keeps it. */
export function toWatchEntry(entry: Entry): WatchEntry {
  return { ...entry, seenAtMs: undefined, goneAtMs: undefined };
}
