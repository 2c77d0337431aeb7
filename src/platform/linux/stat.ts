import type { ProcessStat } from '../../model/process.ts';
import type { KernelUnits } from './kernel-units.ts';
import { readRecordText } from './read-small.ts';

/**
 * Reads the status line of a process; undefined if there is none or it may not be seen. The id of a thread that is not
 * its process' first is none: procfs has an entry for it that it does not list (proc(5), "/proc/tid"), with a start of
 * its own, and kill(2) takes it for the whole process.
 */
export function readStat(procRoot: string, pid: number, units: KernelUnits): ProcessStat | undefined {
  const text = readRecordText(`${procRoot}/${pid}/stat`);
  const line = text === undefined ? undefined : splitLine(text, EXIT_SIGNAL - 2);
  return line && fieldOf(line, EXIT_SIGNAL) !== NO_SIGNAL ? toStat(line, units) : undefined;
}

/** As readStat for an entry that procfs lists, which is that of a process; undefined for kernel threads as well. */
export function readUserStat(procRoot: string, pid: number | string, units: KernelUnits): ProcessStat | undefined {
  const text = readRecordText(`${procRoot}/${pid}/stat`);
  const line = text === undefined ? undefined : splitLine(text);
  return line && !isFlagged(line) ? toStat(line, units) : undefined;
}

/**
 * Parses a line of proc_pid_stat(5), a character for each byte; undefined if it is none. The name in parentheses may hold
 * anything, blanks, newlines and parentheses included, so it ends at the last `)`: all fields behind it are a letter and
 * numbers.
 */
export function parseStat(text: string, units: KernelUnits): ProcessStat | undefined {
  const line = splitLine(text);
  return line && toStat(line, units);
}

/** True if the line is that of a kernel thread: PF_KTHREAD (include/linux/sched.h) in the flags, field 9. */
export function isKernelThread(text: string): boolean {
  const line = splitLine(text);
  return line !== undefined && isFlagged(line);
}

/** A status line, taken apart by calls that are native code: a loop over its bytes costs a start ten times as much. */
interface Line {
  readonly pid: string;
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

function splitLine(text: string, fields = USED_FIELDS): Line | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 2 || close < open || close + 2 >= text.length) return undefined;
  const comm = text.slice(open + 1, close);
  return {
    pid: text.slice(0, open - 1),
    comm: BEYOND_ASCII.test(comm) ? Buffer.from(comm, 'latin1').toString('utf8') : comm,
    rest: text.slice(close + 2).split(' ', fields),
  };
}

function isFlagged(line: Line): boolean {
  return (fieldOf(line, 9) & PF_KTHREAD) !== 0;
}

/** By place rather than by name: a look at the machine is some hundred of these, before anything has become fast. */
function toStat({ pid, comm, rest }: Line, units: KernelUnits): ProcessStat | undefined {
  const stat = {
    pid: Number(pid),
    ppid: Number(rest[1]),
    pgid: Number(rest[2]),
    sid: Number(rest[3]),
    ttyNr: Number(rest[4]),
    tpgid: Number(rest[5]),
    startTicks: Number(rest[19]),
    state: rest[0] ?? '',
    cpuMs: ((Number(rest[11]) + Number(rest[12])) * 1000) / units.ticksPerSecond,
    rssBytes: Number(rest[21]) * units.pageBytes,
    comm,
  };
  const { ppid, pgid, sid, ttyNr, tpgid, startTicks, cpuMs, rssBytes } = stat;
  // Not a number as soon as one of them is none.
  const sum = stat.pid + ppid + pgid + sid + ttyNr + tpgid + startTicks + cpuMs + rssBytes;
  return Number.isNaN(sum) ? undefined : stat;
}

/** By the numbers of proc_pid_stat(5); NaN if it is no number or not there. */
function fieldOf({ rest }: Line, number: number): number {
  return Number(rest[number - 3]);
}
