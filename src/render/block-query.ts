import { createFilter, type RowFilter } from '../filter/query.ts';
import { createSort, type RowSort } from '../filter/sort.ts';
import type { BlockRow } from './block-table.ts';

/** What `blocks` can be filtered and sorted by; ages are counted from `nowMs`, ms since the epoch. */
export function blockQuery(nowMs: number): {
  readonly filter: RowFilter<BlockRow>;
  readonly sort: RowSort<BlockRow>;
} {
  const age = ({ startedAtMs }: BlockRow): number => nowMs - startedAtMs;
  return {
    filter: createFilter<BlockRow>({
      exact: {
        id: (row) => row.id,
        agent: (row) => row.agent,
        kind: (row) => row.kind,
        parent: (row) => row.parentId,
        status: (row) => row.status,
        tracker: (row) => row.tracker.type,
        confidence: (row) => row.tracker.confidence,
        port: (row) => row.ports ?? [],
      },
      part: { directory: (row) => row.runs.at(-1)?.cwd },
      numbers: { memory: (row) => row.privateBytes, age, processes: (row) => row.processes },
    }),
    sort: createSort<BlockRow>({
      id: (row) => row.id,
      agent: (row) => row.agent,
      status: (row) => row.status,
      age,
      started: (row) => row.startedAtMs,
      time: (row) => row.cpuMs,
      memory: (row) => row.privateBytes,
      processes: (row) => row.processes,
      port: (row) => row.ports?.[0],
      confidence: (row) => row.tracker.confidence,
    }),
  };
}
