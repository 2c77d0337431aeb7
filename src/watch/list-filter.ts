import { matchesFilters, parseFilters } from '../filter/process-query.ts';
import type { Condition } from '../filter/query.ts';
import type { WatchEntry, WatchRow } from '../render/screen-types.ts';

/** What the filter's text asks of rows and entries. */
export interface ListFilter {
  row(row: WatchRow): boolean;
  entry(entry: WatchEntry): boolean;
}

/**
 * A filter by what was typed: `:3000` a port, digits a pid, a port or a part of the command, `KEY=VALUE` as `--filter`
 * takes it, else a part of the command, in any case. Never throws; undefined for an empty text.
 */
export function parseListFilter(text: string): ListFilter | undefined {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return undefined;
  const conditions = parseConditions(text.trim());
  if (conditions !== undefined) return { row: (row) => matchesFilters(row, conditions), entry: () => true };
  return {
    row: (row) => matchesText(wanted, row.command, [row.pid], portsOf(row)),
    entry: (entry) => entry.id === wanted || matchesText(wanted, entry.command, [entry.pid], entry.ports),
  };
}

function parseConditions(text: string): Condition[] | undefined {
  if (!/^[A-Za-z]+(!=|=|<|>)\S/.test(text)) return undefined;
  try {
    return parseFilters(text.split(/\s+/));
  } catch {
    // Not one of its keys: then it is a part of a command, such as NODE_ENV=test.
    return undefined;
  }
}

function matchesText(
  wanted: string,
  command: string | undefined,
  pids: readonly (number | undefined)[],
  ports: readonly number[],
): boolean {
  if (/^:\d+$/.test(wanted)) return ports.some((port) => `:${port}` === wanted);
  if (pids.some((pid) => String(pid) === wanted) || ports.some((port) => String(port) === wanted)) return true;
  return command?.toLowerCase().includes(wanted) === true;
}

function portsOf(row: WatchRow): number[] {
  return [...(row.listeners ?? []), ...row.sharedListeners].map(({ port }) => port);
}
