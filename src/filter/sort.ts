import { AgentmuxError } from '../errors.ts';
import type { ProcessRow } from '../model/row.ts';
import { compareStart } from '../model/tree.ts';

export interface SortKey {
  readonly key: string;
  readonly descending: boolean;
}

/** What `--sort` takes, for help texts. */
export const SORT_KEYS: readonly string[] = [
  ...['pid', 'parent', 'age', 'started', 'cpu', 'time', 'memory', 'rss', 'port', 'command', 'role', 'block'],
  ...['agent', 'state', 'uid'],
];

/** Parses the value of `--sort`: keys separated by commas, `-` in front of one for descending. Throws `usage`. */
export function parseSort(text: string): SortKey[] {
  return text.split(',').map((part) => {
    const descending = part.startsWith('-');
    const key = descending ? part.slice(1) : part;
    if (!SORT_KEYS.includes(key)) {
      throw new AgentmuxError('usage', `cannot sort by "${part}"`, {
        code: 'bad-sort-key',
        hint: `keys: ${SORT_KEYS.join(' ')}; -KEY for descending`,
      });
    }
    return { key, descending };
  });
}

/** A sorted copy. Unknown values come last in both directions; what is equal is ordered by start time and pid. */
export function sortRows<T extends ProcessRow>(rows: readonly T[], keys: readonly SortKey[]): T[] {
  return [...rows].sort((a, b) => {
    for (const { key, descending } of keys) {
      const order = compareValues(READERS[key]?.(a), READERS[key]?.(b), descending);
      if (order !== 0) return order;
    }
    return compareStart(a, b);
  });
}

const READERS: Readonly<Record<string, (row: ProcessRow) => string | number | undefined>> = {
  pid: (row) => row.pid,
  parent: (row) => row.parentPid,
  age: (row) => row.ageMs,
  started: (row) => row.startedAtMs,
  cpu: (row) => row.cpuPercent,
  time: (row) => row.cpuMs,
  memory: (row) => row.privateBytes,
  rss: (row) => row.rssBytes,
  port: (row) => [...(row.listeners ?? []), ...row.sharedListeners].map(({ port }) => port).sort((a, b) => a - b)[0],
  command: (row) => row.command,
  role: (row) => row.role,
  block: (row) => row.blockId,
  agent: (row) => row.agent,
  state: (row) => row.state,
  uid: (row) => row.uid,
};

function compareValues(a: string | number | undefined, b: string | number | undefined, descending: boolean): number {
  if (a === undefined || b === undefined) {
    return Number(a === undefined) - Number(b === undefined);
  }
  // By code units: the same order on every machine.
  const order = a < b ? -1 : Number(a > b);
  return descending ? -order : order;
}
