import { compareStart } from '../model/tree.ts';
import type { WatchRow } from '../render/screen-types.ts';

/** The orders that `s` goes through. */
export const SORTS = ['age', 'cpu', 'memory', 'port', 'command'] as const;

export type SortName = (typeof SORTS)[number];

/** Compares rows: the oldest, the busiest, the largest, the lowest port first; unknown last, ties by start. */
export function compareRows(sort: SortName): (a: WatchRow, b: WatchRow) => number {
  const read = READERS[sort];
  return (a, b) => compareKnown(read(a), read(b)) || compareStart(a, b);
}

const READERS: Readonly<Record<SortName, (row: WatchRow) => number | string | undefined>> = {
  age: (row) => row.startTicks,
  cpu: (row) => negated(row.cpuNowPercent),
  memory: (row) => negated(row.privateBytes ?? row.rssBytes),
  port: (row) => row.listeners?.map(({ port }) => port).sort((a, b) => a - b)[0],
  command: (row) => row.command,
};

function negated(value: number | undefined): number | undefined {
  return value === undefined ? undefined : -value;
}

function compareKnown(a: number | string | undefined, b: number | string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a < b ? -1 : Number(a > b);
}
