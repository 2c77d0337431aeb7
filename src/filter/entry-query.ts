import { createFilter } from './query.ts';
import { createSort } from './sort.ts';

/** What of an entry can be asked for; see annotate/entry-rows.ts. */
export interface QueriedEntry {
  readonly blockId: string;
  readonly id: string;
  readonly source: string;
  readonly status: string;
  readonly command: string;
  readonly name: string;
  readonly ports: readonly number[];
  readonly pids: readonly number[];
  readonly kept: boolean;
  readonly uptimeMs: number | undefined;
  readonly startedAtMs: number | undefined;
  readonly privateBytes: number | undefined;
  readonly label: { readonly description: string | undefined } | undefined;
}

/** What `entries` can be filtered by. */
export const entryFilter = createFilter<QueriedEntry>({
  exact: {
    entry: (row) => row.id,
    block: (row) => row.blockId,
    source: (row) => row.source,
    status: (row) => row.status,
    port: (row) => row.ports,
    pid: (row) => row.pids,
    kept: (row) => row.kept,
  },
  part: {
    command: (row) => row.command,
    name: (row) => row.name,
    label: (row) => row.label?.description,
  },
  numbers: { memory: (row) => row.privateBytes, age: (row) => row.uptimeMs },
});

/** What `entries` can be sorted by. */
export const entrySort = createSort<QueriedEntry>({
  entry: (row) => Number(row.id.slice(1)),
  block: (row) => row.blockId,
  age: (row) => row.uptimeMs,
  started: (row) => row.startedAtMs,
  memory: (row) => row.privateBytes,
  port: (row) => row.ports[0],
  name: (row) => row.name,
  command: (row) => row.command,
  status: (row) => row.status,
});
