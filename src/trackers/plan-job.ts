import type { BlockRecord, TrackerReason, TrackerRecord } from '../model/block.ts';
import type { Priority } from '../model/priority.ts';
import type { Platform } from '../platform/platform.ts';
import { type Win32, Win32Code, Win32Error } from '../platform/windows/ffi-call.ts';
import { createJob, JobLimit, PriorityClass, setJobLimits } from '../platform/windows/job-calls.ts';
import { closeHandle } from '../platform/windows/process-calls.ts';
import { ownerOnly } from '../platform/windows/security.ts';
import { jobNames } from './job-name.ts';
import { createJobTracker, jobRecord } from './job-object.ts';
import { isOwnJob } from './open-job.ts';
import { makeReason } from './reasons.ts';
import { type Tracker, TrackerError, type TrackerPlan } from './tracker.ts';

export interface JobPlanOptions {
  readonly platform: Platform;
  readonly win32: Win32;
  readonly blockId: string;
  readonly tag: string;
  readonly reasons: readonly TrackerReason[];
  /** True if nothing of the block may outlive this process, whatever becomes of it. */
  readonly leavesNothing: boolean;
  /** Undefined: as an earlier run had it, else normal. */
  readonly priority: Priority | undefined;
  /** The block's record of an earlier run, whose job is taken again while it is there. */
  readonly previous: BlockRecord | undefined;
}

/** A job object of the block's own, for this user alone, that nothing breaks away from. */
export function planJob(options: JobPlanOptions): TrackerPlan {
  const { blockId, tag, reasons, previous, priority } = options;
  const isLow =
    priority === undefined
      ? ((previous?.tracker.job?.flags ?? 0) & JobLimit.priorityClass) !== 0
      : priority === 'below-normal';
  const flags = (isLow ? JobLimit.priorityClass : 0) | (options.leavesNothing ? JobLimit.killOnClose : 0);
  // A job of an earlier run may be there under the second name.
  const before = previous?.tracker.job?.name;
  const names = [...jobNames(blockId, tag)].sort((a, b) => Number(b === before) - Number(a === before));
  const record = jobRecord({ reasons, job: { name: names[0] ?? '', flags } });
  return {
    record,
    withReason: (reason) => planJob({ ...options, reasons: [...reasons, reason] }),
    create: async () => create(record, names, flags, options),
  };
}

function create(record: TrackerRecord, names: readonly string[], flags: number, options: JobPlanOptions): Tracker {
  const { platform, win32 } = options;
  let failure: TrackerError | undefined;
  for (const name of names) {
    try {
      const held = createOwn(win32, name, flags);
      // By the handle that it holds, until it is disposed of; afterwards nothing of it can be had here.
      const open = () => ({ status: 'lost' as const, reason: makeReason('job-gone', name) });
      return createJobTracker({ record: { ...record, job: { name, flags } }, platform, win32, held, open });
    } catch (error) {
      failure ??= toFailure(error, name);
    }
  }
  throw failure ?? new TrackerError('job-failed', 'no name for a job');
}

function createOwn(win32: Win32, name: string, flags: number): number {
  const security = ownerOnly(win32, 'object');
  try {
    const { handle, existed } = createJob(win32, name, security.bytes);
    try {
      if (existed && !isOwnJob(win32, handle)) throw new TrackerError('job-foreign', name);
      const priority = (flags & JobLimit.priorityClass) !== 0 && { priorityClass: PriorityClass.belowNormal };
      if (flags !== 0 || existed) setJobLimits(win32, handle, { flags, ...priority });
      return handle;
    } catch (error) {
      closeHandle(win32, handle);
      throw error;
    }
  } finally {
    security.close();
  }
}

function toFailure(error: unknown, name: string): TrackerError {
  if (error instanceof TrackerError) return error;
  if (!(error instanceof Win32Error)) throw error;
  const code = error.code === Win32Code.accessDenied ? 'job-denied' : 'job-failed';
  return new TrackerError(code, `${name}: ${error.message}`, { cause: error });
}
