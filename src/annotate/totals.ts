import type { ProcessRow, RowTotals } from '../model/row.ts';

/** Sums over rows. Unknown stays unknown: what no row knows is undefined, what some do not know is marked. */
export function sumRows(rows: readonly ProcessRow[]): RowTotals {
  return {
    processes: rows.length,
    privateBytes: sum(rows.map((row) => row.privateBytes)),
    memoryIsPartial: rows.some((row) => row.privateBytes === undefined),
    cpuMs: sum(rows.map((row) => row.cpuMs)),
    ports: listPorts(rows),
  };
}

/** Sum of the known values; undefined if there are values and none is known. */
export function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return values.length > 0 && known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}

function listPorts(rows: readonly ProcessRow[]): number[] | undefined {
  const known = rows.filter((row) => row.listeners !== undefined);
  if (rows.length > 0 && known.length === 0) {
    return undefined;
  }
  // Shared ones too: their owner may not be among these rows.
  const ports = known.flatMap((row) => [...(row.listeners ?? []), ...row.sharedListeners].map(({ port }) => port));
  return [...new Set(ports)].sort((a, b) => a - b);
}
