import type { PsCommand } from './command-line.ts';
import type { PsRow } from './parse-table.ts';
import type { PsReader } from './ps-reader.ts';

/** How long what was read is good, ms: the questions of one look share one call. */
const GOOD_MS = 200;
/** The same for a process that we have signalled: it is about to end. */
const DYING_GOOD_MS = 40;

/** A start is told in whole seconds, and on some systems a second off after the clock was set. */
const START_ERROR = 2;

/** What `ps` told a moment ago, read again where that is too old. */
export interface Snapshot {
  /** Read now, and kept. */
  fresh(): readonly PsRow[];
  rows(): readonly PsRow[];
  /** A process that is not there is looked for again: it may have started since. */
  row(pid: number): PsRow | undefined;
  /** As it was last read, however long ago: good for what is compared by its start afterwards. */
  lastRow(pid: number): PsRow | undefined;
  /** The process with that start; what had started before the reading and is not in it has ended. */
  rowOf(pid: number, startSeconds: number): PsRow | undefined;
  /** Read now. */
  rowNow(pid: number): PsRow | undefined;
  /** The command of a process without or with its environment; undefined if it has ended. */
  command(row: PsRow, withEnvironment: boolean): PsCommand | undefined;
  /** Says that the process was signalled. */
  touch(pid: number): void;
}

export function createSnapshot(reader: PsReader, nowMs: () => number = () => performance.now()): Snapshot {
  let table: { readonly rows: readonly PsRow[]; readonly byPid: ReadonlyMap<number, PsRow> } | undefined;
  /** Begin and end of the reading: what was done before the begin is in it; its age counts from the end. */
  let takenAt = Number.NEGATIVE_INFINITY;
  let readAt = Number.NEGATIVE_INFINITY;
  let takenAtSeconds = 0;
  const touched = new Map<number, number>();
  /** The row that was read by itself last: right before a signal its state is asked for too. */
  let single: { readonly row: PsRow | undefined; readonly pid: number; readonly at: number } | undefined;
  const texts = new Map<
    boolean,
    { readonly takenAt: number; readonly readAt: number; readonly byPid: ReadonlyMap<number, PsCommand> }
  >();

  function fresh() {
    const at = nowMs();
    const seconds = Date.now() / 1000;
    const rows = reader.table();
    const byPid = new Map(rows.map((row) => [row.pid, row]));
    for (const pid of touched.keys()) if (!byPid.has(pid)) touched.delete(pid);
    table = { rows, byPid };
    takenAt = at;
    readAt = nowMs();
    takenAtSeconds = seconds;
    return table;
  }

  function current() {
    return table === undefined || nowMs() - readAt > GOOD_MS ? fresh() : table;
  }

  function currentFor(pid: number) {
    const touchedAt = touched.get(pid);
    if (touchedAt === undefined) return current();
    const isGood = touchedAt < takenAt && nowMs() - readAt <= DYING_GOOD_MS;
    return isGood && table !== undefined ? table : fresh();
  }

  function textOf(row: PsRow, withEnvironment: boolean): PsCommand | undefined {
    const kept = texts.get(withEnvironment);
    if (kept !== undefined) {
      const command = kept.byPid.get(row.pid);
      // Who is in the table, but not in what was read after it, has ended: to look for each of these anew would start a
      // `ps` for every `ps` that others ran.
      const isLater = table?.byPid.get(row.pid) === row && kept.takenAt >= readAt;
      if (command?.startSeconds === row.startSeconds && (isLater || nowMs() - kept.readAt <= GOOD_MS)) return command;
      if (isLater) return undefined;
    }
    const at = nowMs();
    const byPid = reader.commands(withEnvironment);
    texts.set(withEnvironment, { takenAt: at, readAt: nowMs(), byPid });
    const now = byPid.get(row.pid);
    return now?.startSeconds === row.startSeconds ? now : undefined;
  }

  return {
    fresh: () => fresh().rows,
    rows: () => current().rows,
    row(pid) {
      if (single?.pid === pid && single.at > readAt && nowMs() - single.at <= DYING_GOOD_MS) return single.row;
      return currentFor(pid).byPid.get(pid) ?? reader.row(pid);
    },
    lastRow: (pid) => table?.byPid.get(pid) ?? currentFor(pid).byPid.get(pid) ?? reader.row(pid),
    rowOf(pid, startSeconds) {
      const row = currentFor(pid).byPid.get(pid);
      if (row !== undefined) return row.startSeconds === startSeconds ? row : undefined;
      if (startSeconds + START_ERROR < takenAtSeconds) return undefined;
      const now = reader.row(pid);
      return now?.startSeconds === startSeconds ? now : undefined;
    },
    rowNow(pid) {
      const row = reader.row(pid);
      single = { row, pid, at: nowMs() };
      return row;
    },
    command: textOf,
    touch: (pid) => void touched.set(pid, nowMs()),
  };
}
