import type { PsColumn, PsDialect } from './dialect.ts';
import { parseCpuTime, parseStart } from './parse-time.ts';

/** One line of the table. */
export interface PsRow {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** Undefined where this `ps` does not tell. */
  readonly sid: number | undefined;
  /** -1 if there is no terminal. */
  readonly tpgid: number;
  readonly uid: number | undefined;
  /** E.g. `ttys001`; undefined if it has none. */
  readonly tty: string | undefined;
  /** The letters of the state, the first as in proc_pid_stat(5) where it can be told. */
  readonly state: string;
  readonly isSessionLeader: boolean;
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** Seconds since the epoch. */
  readonly startSeconds: number;
  /** As printed: the short name, and argv[0] whole on macOS. */
  readonly name: string;
}

/** The arguments that make `ps` print lines that parseTable reads; `-o` by `-o`, since FreeBSD takes no list of them. */
export function tableArguments({ columns }: PsDialect): string[] {
  return [...columns, 'lstart', 'comm'].flatMap((column) => ['-o', `${column}=`]);
}

/** Parses a table; a line that is none is left out, and so is the second of two lines with the same pid. */
export function parseTable(text: string, dialect: PsDialect): PsRow[] {
  const shape = new RegExp(`^${' *(\\S+)'.repeat(dialect.columns.length)} +${START} *(?: (.*))?$`, 's');
  const rows = new Map<number, PsRow>();
  for (const line of text.split('\n')) {
    const match = shape.exec(line);
    const row = match === null ? undefined : parseRow(match, dialect);
    if (row !== undefined && !rows.has(row.pid)) rows.set(row.pid, row);
  }
  return [...rows.values()];
}

/** Day, month, day of the month, time and year are of fixed width but for the blanks between. */
const START = '([A-Z][a-z]{2} +[A-Z][a-z]{2} +\\d{1,2} \\d{2}:\\d{2}:\\d{2} \\d{4})';

function parseRow(match: RegExpExecArray, { columns, decode }: PsDialect): PsRow | undefined {
  const value = (column: PsColumn) => match[columns.indexOf(column) + 1];
  const pid = parseNumber(value('pid'));
  const ppid = parseNumber(value('ppid'));
  const startSeconds = parseStart(match[columns.length + 1] ?? '');
  if (pid === undefined || ppid === undefined || startSeconds === undefined) return undefined;
  const letters = value('stat') ?? '';
  const tpgid = parseNumber(value('tpgid'));
  return {
    pid,
    ppid,
    pgid: parseNumber(value('pgid')) ?? 0,
    sid: columns.includes('sid') ? parseNumber(value('sid')) : undefined,
    tpgid: tpgid === undefined || tpgid === 0 ? -1 : tpgid,
    uid: parseNumber(value('ruid')),
    tty: parseTty(value('tty') ?? ''),
    state: parseState(letters),
    isSessionLeader: letters.slice(1).includes('s'),
    cpuMs: parseCpuTime(value('time') ?? '') ?? 0,
    rssBytes: (parseNumber(value('rss')) ?? 0) * 1024,
    startSeconds,
    name: decode(match[columns.length + 2]?.trimEnd() ?? ''),
  };
}

function parseNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** `??` on macOS, `?` on Linux, `-` on the BSDs. */
function parseTty(text: string): string | undefined {
  return /^[-?]*$/.test(text) ? undefined : text;
}

/** macOS and the BSDs: I is asleep for long, U and D wait for a device; `?` is on its way out (ps(1), "state"). */
function parseState(letters: string): string {
  const first = letters.charAt(0);
  if (first === 'I' || first === 'L' || first === '' || first === '?') return 'S';
  return first === 'U' ? 'D' : first;
}
