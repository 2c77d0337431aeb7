import { AgentmuxError } from '../../errors.ts';
import type { Identity } from '../../model/identity.ts';
import type { ProcessStat } from '../../model/process.ts';
import { type Win32, Win32Error } from './ffi-call.ts';
import {
  closeHandle,
  isRunning,
  type OpenFailure,
  openProcess,
  ProcessRight,
  readImagePath,
  readMemoryCounters,
  readParentPid,
  withProcess,
} from './process-calls.ts';
import { isAhead, readSettledTimes } from './settled-times.ts';
import { readSystemProcesses, type SystemProcess } from './system-processes.ts';
import { readToolhelp } from './toolhelp.ts';

/**
 * Every process but the kernel's own, in the order of the system. A parent that is younger than its child is none, since
 * its pid was given away again: such a process has parent 0. Throws AgentmuxError `no-process-table` where it cannot be read.
 */
export function readTable(win32: Win32): ProcessStat[] {
  const table = toTable(readAll(win32));
  return table.flatMap((stat) => (isAhead(stat.startTicks) ? (settled(win32, stat.pid) ?? []) : stat));
}

/** One that was just being made when the snapshot was taken. */
function settled(win32: Win32, pid: number): ProcessStat | undefined {
  const stat = attempt(() => readOne(win32, pid));
  return typeof stat === 'string' ? undefined : stat;
}

/** The table of a snapshot. */
export function toTable(processes: readonly SystemProcess[]): ProcessStat[] {
  const starts = new Map(processes.map(({ pid, startedAt }) => [pid, startedAt]));
  return processes.filter(isUserProcess).map((process) => {
    const isStale = (starts.get(process.ppid) ?? 0) > process.startedAt;
    return toStat({ ...process, ppid: isStale ? 0 : process.ppid });
  });
}

/** One process as it is now; undefined if it has ended. Those that we may not open are looked up in a whole snapshot. */
export function readStat(win32: Win32, pid: number): ProcessStat | undefined {
  if (!isPid(pid)) return undefined;
  const stat = attempt(() => readOne(win32, pid));
  if (stat === 'denied') return readTable(win32).find((one) => one.pid === pid);
  return stat === 'gone' ? undefined : stat;
}

/** Start of a process in microseconds since 1970, if it runs. */
export function readStart(win32: Win32, pid: number): number | undefined {
  if (!isPid(pid)) return undefined;
  const start = attempt(() => withProcess(win32, pid, LOOK, (handle) => startOf(win32, handle)));
  if (start === 'denied') return readTable(win32).find((one) => one.pid === pid)?.startTicks;
  return start === 'gone' ? undefined : start;
}

/** Start of the process behind a handle; `gone` if it has ended. */
export function startOf(win32: Win32, handle: number): number | 'gone' {
  const { startedAt } = readSettledTimes(win32, handle);
  return isRunning(win32, handle) ? startedAt : 'gone';
}

/**
 * Keeps a pid by a handle: it may be given away only "until all handles to the process are closed and the process object is
 * freed" (PROCESS_INFORMATION). Gives what closes it; undefined if the pid is not that process'.
 */
export function keepPid(win32: Win32, { pid, startTicks }: Pick<Identity, 'pid' | 'startTicks'>) {
  const handle = isPid(pid) ? openProcess(win32, pid, LOOK) : 'gone';
  if (typeof handle !== 'number') return undefined;
  const release = () => closeHandle(win32, handle);
  if (attempt(() => readSettledTimes(win32, handle).startedAt) === startTicks) return release;
  release();
  return undefined;
}

/**
 * True for what can be the pid of a program: 0 and 4 are the kernel's own, all are multiples of 4. OpenProcess does not mind
 * the low two bits, so that it would open another process for any other number.
 */
export function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid % 4 === 0 && pid > SYSTEM_PID && pid <= 0xffff_ffff;
}

const SYSTEM_PID = 4;
const LOOK = ProcessRight.queryLimited | ProcessRight.synchronize;

/** Tried twice: Wine fails now and then when processes end while it looks at them. */
function readAll(win32: Win32): SystemProcess[] {
  for (let time = 0; time < 2; time += 1) {
    try {
      return readSystemProcesses(win32);
    } catch (error) {
      if (!(error instanceof Win32Error)) throw error;
    }
  }
  return readSlowly(win32);
}

function readSlowly(win32: Win32): SystemProcess[] {
  try {
    return readToolhelp(win32);
  } catch (cause) {
    if (!(cause instanceof Win32Error)) throw cause;
    throw new AgentmuxError('failed', `cannot read processes: ${cause.message}`, { code: 'no-process-table', cause });
  }
}

/** A process that has ended has no threads, however long its object lives. */
function isUserProcess({ pid, threads }: SystemProcess): boolean {
  return pid > SYSTEM_PID && threads > 0;
}

function readOne(win32: Win32, pid: number): ProcessStat | OpenFailure {
  return withProcess(win32, pid, LOOK, (handle) => {
    const { startedAt, cpuMs } = readSettledTimes(win32, handle);
    const ppid = readParentPid(win32, handle);
    const { rssBytes } = readMemoryCounters(win32, handle);
    const image = baseName(readImagePath(win32, handle));
    // Last, so that all of it is of a living process.
    if (!isRunning(win32, handle)) return 'gone';
    return toStat({ pid, ppid: isOlder(win32, ppid, startedAt) ? ppid : 0, startedAt, cpuMs, rssBytes, image });
  });
}

/** One that has gone counts: it is not another process. */
function isOlder(win32: Win32, pid: number, startedAt: number): boolean {
  if (!isPid(pid)) return true;
  const start = withProcess(win32, pid, LOOK, (handle) => readSettledTimes(win32, handle).startedAt);
  return typeof start !== 'number' || start <= startedAt;
}

/** Between two calls on a handle a process can end: then it may not be asked any more. */
function attempt<T>(read: () => T | OpenFailure): T | OpenFailure {
  try {
    return read();
  } catch (error) {
    if (error instanceof Win32Error) return 'denied';
    throw error;
  }
}

/** There are no process groups, sessions and terminals as Unix knows them: 0 and -1 are "none". */
function toStat(process: Omit<SystemProcess, 'threads'>): ProcessStat {
  const { pid, ppid, startedAt, cpuMs, rssBytes, image } = process;
  return {
    ...{ pid, ppid, pgid: 0, sid: 0, ttyNr: 0, tpgid: -1 },
    ...{ startTicks: startedAt, state: 'S', cpuMs, rssBytes, comm: image },
  };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('\\') + 1);
}
