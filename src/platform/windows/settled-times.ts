import type { Win32 } from './ffi-call.ts';
import { isRunning, type ProcessTimes, readTimes } from './process-calls.ts';

/**
 * Times of a process, once it has any: Wine tells a start far ahead until the process is made ready. Waits for that, at
 * most a second. Needs `queryLimited` and `synchronize`.
 */
export function readSettledTimes(win32: Win32, handle: number): ProcessTimes {
  let times = readTimes(win32, handle);
  for (const end = Date.now() + LONGEST_MS; isAhead(times.startedAt) && Date.now() < end; ) {
    if (!isRunning(win32, handle)) break;
    Atomics.wait(cell, 0, 0, 1);
    times = readTimes(win32, handle);
  }
  return times;
}

/** True if the start lies so far ahead that no clock that was set explains it. */
export function isAhead(startedAt: number): boolean {
  return startedAt / 1000 > Date.now() + YEAR_MS;
}

const LONGEST_MS = 1000;
const YEAR_MS = 365 * 24 * 3600 * 1000;
const cell = new Int32Array(new SharedArrayBuffer(4));
