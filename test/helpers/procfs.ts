import { readdirSync, readFileSync } from 'node:fs';

/** What the tests themselves read of the process table: an eye of its own, independent of src/platform. */
export interface TableRow {
  readonly pid: number;
  readonly ppid: number;
  readonly sid: number;
  readonly state: string;
  readonly startTicks: number;
}

/** One row of the table; undefined if there is no such process. */
export function readRow(pid: number): TableRow | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // proc_pid_stat(5): the name stands in parentheses and may hold any byte, so count from the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    state: fields[0] ?? '?',
    ppid: Number(fields[1]),
    sid: Number(fields[3]),
    startTicks: Number(fields[19]),
  };
}

/** All live processes; zombies are left out. */
export function readTable(): TableRow[] {
  return readPids()
    .flatMap((pid) => readRow(pid) ?? [])
    .filter((row) => row.state !== 'Z' && row.state !== 'X');
}

/** How many processes have ended and wait to be reaped. */
export function countZombies(): number {
  return readPids().filter((pid) => readRow(pid)?.state === 'Z').length;
}

/** True if the process lives; a zombie does not. */
export function isAlive(pid: number): boolean {
  const row = readRow(pid);
  return row !== undefined && row.state !== 'Z' && row.state !== 'X';
}

/** Environment entries of a process, empty if unreadable. */
export function readEnvironment(pid: number): string[] {
  return readText(`/proc/${pid}/environ`)?.split('\0') ?? [];
}

/** Argument vector of a process, empty if unreadable. */
export function readArgv(pid: number): string[] {
  return readText(`/proc/${pid}/cmdline`)?.split('\0').slice(0, -1) ?? [];
}

/** Pids of live processes whose argument vector contains the marker. */
export function findByArgv(marker: string): number[] {
  return readTable()
    .map((row) => row.pid)
    .filter((pid) => pid !== process.pid && readArgv(pid).some((argument) => argument.includes(marker)));
}

/** The given pids and all that descends from them in the table. */
export function withDescendants(table: readonly TableRow[], pids: Iterable<number>): Set<number> {
  const found = new Set(pids);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const row of table) if (found.has(row.ppid)) found.add(row.pid);
  }
  return found;
}

function readPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
