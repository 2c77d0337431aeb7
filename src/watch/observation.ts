/**
 * The live view: a pure model of its screen (state.ts, update.ts: events in, effects out), a look at the machine that
 * costs nothing where nothing changed (observer.ts), and the loop between them and the terminal (loop.ts). How things are
 * drawn is the renderers' part, what is ended and how the kill transaction's.
 */
import type { WatchBlock, WatchEntry, WatchRow } from '../render/screen-types.ts';

/** The machine at one look. Where nothing changed the very same arrays come again. */
export interface Observation {
  /** Wall clock of the look, ms since the epoch. */
  readonly atMs: number;
  /** Each block after the one that it is inside of. */
  readonly blocks: readonly WatchBlock[];
  /** Every member by block id, oldest first. */
  readonly rows: ReadonlyMap<string, readonly WatchRow[]>;
  /** Those that run, by block id; undefined where entries are not known. */
  readonly entries: ReadonlyMap<string, readonly WatchEntry[]> | undefined;
}

/** An observation of nothing. */
export function emptyObservation(atMs: number): Observation {
  return { atMs, blocks: [], rows: new Map(), entries: undefined };
}

/** What names a process of a block for as long as the view runs. */
export function rowKey(row: Pick<WatchRow, 'pid' | 'startTicks'>): string {
  return `${row.pid}:${row.startTicks ?? ''}`;
}
