import type { ProcessRow } from '../model/row.ts';
import { type Condition, createFilter } from './query.ts';
import { createSort, type SortKey } from './sort.ts';

/** What `ps` and `tree` can be filtered by. */
export const processFilter = createFilter<ProcessRow>({
  exact: {
    pid: (row) => row.pid,
    parent: (row) => row.parentPid,
    uid: (row) => row.uid,
    role: (row) => row.role,
    block: (row) => row.blockId,
    agent: (row) => row.agent,
    state: (row) => row.state,
    port: listPorts,
    tty: (row) => row.tty,
    source: (row) => row.source,
    confidence: (row) => row.confidence,
    escaped: (row) => row.escaped,
    kept: (row) => row.kept,
    entry: (row) => row.entry,
    call: (row) => row.label && [row.label.callId, row.label.toolId],
  },
  part: { command: (row) => row.command, label: (row) => row.label?.description ?? row.label?.command },
  numbers: {
    cpu: (row) => row.cpuPercent,
    memory: (row) => row.privateBytes ?? row.rssBytes,
    age: (row) => row.ageMs,
  },
});

/** What `ps` and `tree` can be sorted by. */
export const processSort = createSort<ProcessRow>({
  pid: (row) => row.pid,
  parent: (row) => row.parentPid,
  age: (row) => row.ageMs,
  started: (row) => row.startedAtMs,
  cpu: (row) => row.cpuPercent,
  time: (row) => row.cpuMs,
  memory: (row) => row.privateBytes,
  rss: (row) => row.rssBytes,
  port: (row) => listPorts(row).sort((a, b) => a - b)[0],
  command: (row) => row.command,
  role: (row) => row.role,
  block: (row) => row.blockId,
  agent: (row) => row.agent,
  state: (row) => row.state,
  uid: (row) => row.uid,
});

/** Parses `--filter` for processes; see RowFilter. */
export function parseFilters(texts: readonly string[]): Condition[] {
  return processFilter.parse(texts);
}

/** True if the process passes; see RowFilter. */
export function matchesFilters(row: ProcessRow, conditions: readonly Condition[]): boolean {
  return processFilter.matches(row, conditions);
}

/** Parses `--sort` for processes; see RowSort. */
export function parseSort(text: string): SortKey[] {
  return processSort.parse(text);
}

/** A sorted copy; see RowSort. */
export function sortRows<T extends ProcessRow>(rows: readonly T[], keys: readonly SortKey[]): T[] {
  return processSort.sort(rows, keys);
}

function listPorts(row: ProcessRow): number[] {
  return [...(row.listeners ?? []), ...row.sharedListeners].map(({ port }) => port);
}
