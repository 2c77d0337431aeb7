import type { BlockRecord, TrackerReason } from '../model/block.ts';
import type { Platform } from '../platform/platform.ts';
import { win32 as ownWin32, type Win32, Win32Error } from '../platform/windows/ffi-call.ts';
import { currentProcess } from '../platform/windows/handle-calls.ts';
import { isInJob, JobLimit, readJobLimits } from '../platform/windows/job-calls.ts';
import { openJobOf } from './open-job.ts';
import { makeReason } from './reasons.ts';

/**
 * Whether this process is in a job object that is none of our blocks' (a terminal, a CI runner): then what a run leaves
 * behind is in it too, and ends with it if it is one that ends its members. For doctor.
 */
export function findPlaceNotes(
  platform: Platform,
  readRecords: () => readonly BlockRecord[],
  win32: Win32 = ownWin32,
): TrackerReason[] {
  if (platform.os !== 'win32' || win32.status().type === 'unavailable') return [];
  try {
    if (!isInJob(win32, currentProcess, undefined)) return [];
    if (readRecords().some((record) => isInJobOf(record, platform, win32))) return [];
    const { flags } = readJobLimits(win32, undefined);
    // What leaves it by itself is not in it: the job that Node has for its children is one.
    if ((flags & JobLimit.silentBreakawayOk) !== 0) return [];
    const ends = (flags & JobLimit.killOnClose) !== 0;
    return [
      makeReason('inside-job', ends ? 'it ends what is in it when it is closed' : 'it does not end what is in it'),
    ];
  } catch (error) {
    if (error instanceof Win32Error) return [];
    throw error;
  }
}

/** True if this process is in the job of that block. */
export function isInJobOf(record: BlockRecord, platform: Platform, win32: Win32 = ownWin32): boolean {
  if (record.tracker.type !== 'job') return false;
  const opening = openJobOf(record, { platform, win32 }, 0);
  if (opening.status === 'lost') return false;
  try {
    return isInJob(win32, currentProcess, opening.handle);
  } finally {
    opening.close();
  }
}
