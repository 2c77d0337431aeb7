import type { ProcessStat } from '../../model/process.ts';
import type { KernelUnits } from './kernel-units.ts';
import { readRecord } from './read-small.ts';

/**
 * Reads the status line of a process; undefined if there is none or it may not be seen. The id of a thread that is not
 * its process' first is none: procfs has an entry for it that it does not list (proc(5), "/proc/tid"), with a start of
 * its own, and kill(2) takes it for the whole process.
 */
export function readStat(procRoot: string, pid: number, units: KernelUnits): ProcessStat | undefined {
  const bytes = readRecord(`${procRoot}/${pid}/stat`);
  const line = bytes && splitLine(bytes, EXIT_SIGNAL - 2);
  return line && fieldOf(line, EXIT_SIGNAL) !== NO_SIGNAL ? toStat(line, units) : undefined;
}

/** As readStat for an entry that procfs lists, which is that of a process; undefined for kernel threads as well. */
export function readUserStat(procRoot: string, pid: number | string, units: KernelUnits): ProcessStat | undefined {
  const bytes = readRecord(`${procRoot}/${pid}/stat`);
  const line = bytes && splitLine(bytes);
  return line && !isFlagged(line) ? toStat(line, units) : undefined;
}

/**
 * Parses a line of proc_pid_stat(5); undefined if it is none. The name in parentheses may hold anything, blanks,
 * newlines and parentheses included, so it ends at the last `)`: all fields behind it are a letter and numbers.
 */
export function parseStat(bytes: Buffer, units: KernelUnits): ProcessStat | undefined {
  const line = splitLine(bytes);
  return line && toStat(line, units);
}

/** True if the line is that of a kernel thread: PF_KTHREAD (include/linux/sched.h) in the flags, field 9. */
export function isKernelThread(bytes: Buffer): boolean {
  const line = splitLine(bytes);
  return line !== undefined && isFlagged(line);
}

/** A status line, taken apart by calls that are native code: a loop over its bytes costs a start ten times as much. */
interface Line {
  readonly pid: number;
  readonly comm: string;
  /** Field 3, the state, and those behind it. */
  readonly rest: readonly string[];
}

/** What the parent is told when the process ends; -1 for a thread beside the first, of whose end nobody is told. */
const EXIT_SIGNAL = 38;
const NO_SIGNAL = -1;
const PF_KTHREAD = 0x200000;
/** From the state to the resident set, field 24. */
const USED_FIELDS = 22;
const BEYOND_ASCII = /[\x80-\xff]/;

function splitLine(bytes: Buffer, fields = USED_FIELDS): Line | undefined {
  const text = bytes.toString('latin1');
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 2 || close < open || close + 2 >= text.length) return undefined;
  const comm = text.slice(open + 1, close);
  return {
    pid: Number(text.slice(0, open - 1)),
    comm: BEYOND_ASCII.test(comm) ? bytes.toString('utf8', open + 1, close) : comm,
    rest: text.slice(close + 2).split(' ', fields),
  };
}

function isFlagged(line: Line): boolean {
  // Division, because the flags are 32 bits wide and a shift would make them negative.
  return Math.floor(fieldOf(line, 9) / PF_KTHREAD) % 2 === 1;
}

function toStat(line: Line, units: KernelUnits): ProcessStat | undefined {
  const stat = {
    pid: line.pid,
    ppid: fieldOf(line, 4),
    pgid: fieldOf(line, 5),
    sid: fieldOf(line, 6),
    ttyNr: fieldOf(line, 7),
    tpgid: fieldOf(line, 8),
    startTicks: fieldOf(line, 22),
    state: line.rest[0] ?? '',
    cpuMs: ((fieldOf(line, 14) + fieldOf(line, 15)) * 1000) / units.ticksPerSecond,
    rssBytes: fieldOf(line, 24) * units.pageBytes,
    comm: line.comm,
  };
  const { pid, ppid, pgid, sid, ttyNr, tpgid, startTicks, cpuMs, rssBytes } = stat;
  // Not a number as soon as one of them is none.
  return Number.isNaN(pid + ppid + pgid + sid + ttyNr + tpgid + startTicks + cpuMs + rssBytes) ? undefined : stat;
}

/** By the numbers of proc_pid_stat(5); NaN if it is no number or not there. */
function fieldOf({ rest }: Line, number: number): number {
  return Number(rest[number - 3]);
}
