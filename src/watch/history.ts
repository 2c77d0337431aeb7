import type { Lifetime, WatchEntry, WatchRow } from '../render/screen-types.ts';
import { type Observation, rowKey } from './observation.ts';

/** How long what has gone stays on the screen, ms. */
export const LINGER_MS = 30_000;

/**
 * Joins a look with what was there before: what is new is marked with the time, what has gone is kept for LINGER_MS.
 * Where nothing came, went or ran out the arrays of `before` or `now` come back as they are.
 */
export function addHistory(before: Observation | undefined, now: Observation): Observation {
  if (before === undefined) return now;
  const { atMs } = now;
  return {
    atMs,
    blocks: joinLists(before.blocks, now.blocks, ({ id }) => id, atMs),
    rows: joinMaps(before.rows, now.rows, rowKey, atMs, endRow),
    entries: now.entries && joinMaps(before.entries ?? new Map(), now.entries, ({ id }) => id, atMs, endEntry),
  };
}

/** Without what has gone. */
export function dropGone(observation: Observation): Observation {
  const isLive = ({ goneAtMs }: Lifetime): boolean => goneAtMs === undefined;
  return {
    ...observation,
    blocks: observation.blocks.filter(isLive),
    rows: mapValues(observation.rows, (rows) => rows.filter(isLive)),
    entries: observation.entries && mapValues(observation.entries, (entries) => entries.filter(isLive)),
  };
}

function joinMaps<T extends Lifetime>(
  before: ReadonlyMap<string, readonly T[]>,
  now: ReadonlyMap<string, readonly T[]>,
  keyOf: (item: T) => string,
  atMs: number,
  end: (item: T) => T,
): Map<string, readonly T[]> {
  const ids = new Set([...now.keys(), ...before.keys()]);
  const joined = new Map<string, readonly T[]>();
  for (const id of ids) {
    const was = before.get(id);
    const is = now.get(id) ?? [];
    // The first look at a block shows what was there before the view knew of it.
    const list = was === undefined ? is : joinLists(was, is, keyOf, atMs, end);
    if (list.length > 0 || now.has(id)) joined.set(id, list);
  }
  return joined;
}

function joinLists<T extends Lifetime>(
  before: readonly T[],
  now: readonly T[],
  keyOf: (item: T) => string,
  atMs: number,
  end: (item: T) => T = (item) => item,
): readonly T[] {
  if (before === now) return now;
  const isSame = now.length === before.length && now.every((item, index) => isStill(before[index], item, keyOf));
  return isSame ? now : joinChanged(before, now, keyOf, atMs, end);
}

/** True for what was there from the beginning and still is: the most common case by far, and so the cheapest. */
function isStill<T extends Lifetime>(was: T | undefined, is: T, keyOf: (item: T) => string): boolean {
  if (was === is) return was.seenAtMs === undefined && was.goneAtMs === undefined;
  return was !== undefined && was.seenAtMs === undefined && was.goneAtMs === undefined && keyOf(was) === keyOf(is);
}

function joinChanged<T extends Lifetime>(
  before: readonly T[],
  now: readonly T[],
  keyOf: (item: T) => string,
  atMs: number,
  end: (item: T) => T,
): readonly T[] {
  const known = new Map(before.map((item) => [keyOf(item), item]));
  const live = now.map((item) => {
    const was = known.get(keyOf(item));
    const isBack = was !== undefined && was.goneAtMs === undefined;
    const seenAtMs = isBack ? was.seenAtMs : (item.seenAtMs ?? atMs);
    return seenAtMs === item.seenAtMs ? item : { ...item, seenAtMs };
  });
  const keys = new Set(now.map(keyOf));
  const gone = before.flatMap((item): T[] => {
    if (keys.has(keyOf(item))) return [];
    if (item.goneAtMs === undefined) return [end({ ...item, goneAtMs: atMs })];
    return atMs - item.goneAtMs < LINGER_MS ? [item] : [];
  });
  return gone.length === 0 ? live : [...live, ...gone];
}

function endRow(row: WatchRow): WatchRow {
  return { ...row, listeners: row.listeners && [], sharedListeners: [], cpuNowPercent: undefined };
}

function endEntry(entry: WatchEntry): WatchEntry {
  return { ...entry, status: 'exited', ports: [], pids: [], endedAtMs: entry.endedAtMs ?? entry.goneAtMs };
}

function mapValues<T>(
  map: ReadonlyMap<string, readonly T[]>,
  change: (values: readonly T[]) => readonly T[],
): Map<string, readonly T[]> {
  return new Map([...map].map(([key, values]) => [key, change(values)]));
}
