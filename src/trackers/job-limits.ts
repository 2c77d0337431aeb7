import type { BlockRecord, JobRecord, TrackerRecord } from '../model/block.ts';
import type { Platform } from '../platform/platform.ts';
import { win32 as ownWin32, type Win32, Win32Error } from '../platform/windows/ffi-call.ts';
import { duplicateHandle } from '../platform/windows/handle-calls.ts';
import {
  JobAccess,
  JobLimit,
  PriorityClass,
  readJobLimits,
  readJobPids,
  setJobLimits,
} from '../platform/windows/job-calls.ts';
import { withProcess } from '../platform/windows/process-calls.ts';
import { openJobOf } from './open-job.ts';

export interface LimitChange {
  /** JobLimit flags. */
  readonly set?: number;
  readonly clear?: number;
  /** Below normal if left out, where a class is set. */
  readonly priorityClass?: number;
}

/**
 * Sets or clears limits, and what else was set stays set: by what the system tells, and if it tells nothing (Wine) by what
 * was recorded. Gives the flags that are set now. Throws Win32Error.
 */
export function changeLimits(win32: Win32, job: number, recorded: number, change: LimitChange): number {
  const told = readJobLimits(win32, job).flags;
  const flags = ((told !== 0 ? told : recorded) | (change.set ?? 0)) & ~(change.clear ?? 0);
  const priorityClass = change.priorityClass ?? PriorityClass.belowNormal;
  setJobLimits(win32, job, { flags, ...((flags & JobLimit.priorityClass) !== 0 && { priorityClass }) });
  return flags;
}

/** Gives every member a handle that keeps the job's name and lets do nothing else. Throws Win32Error. */
export function handOnToMembers(win32: Win32, job: number): void {
  const handOn = (into: number) => duplicateHandle(win32, job, { into, access: JobAccess.synchronize });
  for (const pid of readJobPids(win32, job)) {
    try {
      withProcess(win32, pid, PROCESS_DUP_HANDLE, handOn);
    } catch (error) {
      // One that is just ending, or protected: the others keep the name.
      if (!(error instanceof Win32Error)) throw error;
    }
  }
}

/**
 * Lets the members of a block outlive its wrapper though nothing was to be left: something of it is kept. Gives what is to
 * be recorded; undefined if nothing had to be done, or the system refused.
 */
export function outliveWrapper(record: BlockRecord, platform: Platform, win32 = ownWin32): JobRecord | undefined {
  const { job } = record.tracker;
  if (job === undefined || (job.flags & JobLimit.killOnClose) === 0) return undefined;
  const opening = openJobOf(record, { win32, platform }, JobAccess.query | JobAccess.setAttributes);
  if (opening.status === 'lost') return undefined;
  try {
    handOnToMembers(win32, opening.handle);
    return { ...job, flags: changeLimits(win32, opening.handle, job.flags, { clear: JobLimit.killOnClose }) };
  } catch (error) {
    if (error instanceof Win32Error) return undefined;
    throw error;
  } finally {
    opening.close();
  }
}

/**
 * What the wrapper writes of its job, given what the file says now: other commands change the priority, and take back
 * that the members end with the wrapper.
 */
export function withSharedLimits(own: TrackerRecord, inFile: TrackerRecord | undefined): TrackerRecord {
  if (own.job === undefined || inFile?.job?.name !== own.job.name) return own;
  const both = own.job.flags & inFile.job.flags & ~JobLimit.priorityClass;
  const flags = both | (inFile.job.flags & JobLimit.priorityClass);
  return flags === own.job.flags ? own : { ...own, job: { ...own.job, flags } };
}

const PROCESS_DUP_HANDLE = 0x40;
