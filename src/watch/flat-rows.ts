import type { WatchRow } from '../render/screen-types.ts';
import type { Observation } from './observation.ts';

/**
 * The processes of all blocks, each once and with the age that it has at this look: a member of a block and of one
 * inside it is told with the inner one, unless only to the outer one it is something that an agent started. Blocks come
 * after those that they are inside of.
 */
export function flattenRows({ blocks, rows, atMs }: Observation, all: boolean): WatchRow[] {
  const home = new Map<number, string>();
  for (const { id } of blocks) {
    for (const row of rows.get(id) ?? []) if (all || row.role === 'started') home.set(row.pid, id);
  }
  return blocks.flatMap(({ id }) =>
    (rows.get(id) ?? [])
      .filter((row) => home.get(row.pid) === id)
      .map((row) => ({
        ...row,
        ageMs: row.startedAtMs === undefined ? undefined : Math.max(0, atMs - row.startedAtMs),
      })),
  );
}
