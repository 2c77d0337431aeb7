import type { TrackerRecord } from '../model/block.ts';
import { JobLimit } from '../platform/windows/job-calls.ts';

/**
 * What the wrapper writes of its job, given what the file says now: the priority is changed by other commands too, and
 * what they wrote counts; every other limit is the wrapper's.
 */
export function withSharedLimits(own: TrackerRecord, inFile: TrackerRecord | undefined): TrackerRecord {
  if (own.job === undefined || inFile?.job?.name !== own.job.name) return own;
  const flags = (own.job.flags & ~JobLimit.priorityClass) | (inFile.job.flags & JobLimit.priorityClass);
  return flags === own.job.flags ? own : { ...own, job: { ...own.job, flags } };
}

/** True if both name the same job. */
export function isSameJob(a: TrackerRecord, b: TrackerRecord): boolean {
  return a.job !== undefined && a.job.name === b.job?.name;
}
