import { setTimeout as sleep } from 'node:timers/promises';
import type { Member, TrackerRecord } from '../model/block.ts';
import type { Identity } from '../model/identity.ts';
import type { PriorityResult } from '../model/priority.ts';
import type { Platform } from '../platform/platform.ts';
import { EnclosureError } from '../platform/starter.ts';
import { type Win32, Win32Error } from '../platform/windows/ffi-call.ts';
import { duplicateHandle } from '../platform/windows/handle-calls.ts';
import {
  assignToJob,
  isInJob,
  JobAccess,
  JobLimit,
  PriorityClass,
  readJobAccounting,
  readJobPids,
  terminateJob,
} from '../platform/windows/job-calls.ts';
import { closeHandle, withProcess } from '../platform/windows/process-calls.ts';
import { changeLimits, handOnToMembers, type LimitChange } from './job-limits.ts';
import type { JobOpening } from './open-job.ts';
import { setNiceness } from './priority.ts';
import { type Tracker, TrackerError } from './tracker.ts';

export interface JobTrackerOptions {
  readonly record: TrackerRecord;
  readonly platform: Platform;
  readonly win32: Win32;
  /** Handle with all rights that is held until `dispose`; undefined for a tracker that starts nothing. */
  readonly held?: number;
  /** Opens the job by its name: for each look anew, so that nothing of ours keeps it. */
  open(access: number): JobOpening;
}

/**
 * Members are the processes of a named job object, those of jobs nested in it too. No breakaway is allowed, so that what
 * is in it stays in it. Its name lives as long as a handle does: ours, and one in the root and in what is left over.
 */
export function createJobTracker(options: JobTrackerOptions): Tracker {
  const { platform, win32 } = options;
  let { record, held } = options;
  /** True if processes that we started have a handle since their creation. */
  let isHandedOn = false;

  /** Undefined if the job cannot be had with these rights, or the call failed. */
  function withJob<T>(access: number, use: (job: number) => T): T | undefined {
    const opening = held === undefined ? options.open(access) : undefined;
    const handle = opening === undefined ? held : opening.status === 'opened' ? opening.handle : undefined;
    if (handle === undefined) return undefined;
    try {
      return use(handle);
    } catch (error) {
      if (error instanceof Win32Error) return undefined;
      throw error;
    } finally {
      if (opening?.status === 'opened') opening.close();
    }
  }

  const memberPids = () => withJob(JobAccess.query, (job) => readJobPids(win32, job)) ?? [];
  const members = () => memberPids().map((pid) => toMember(pid, platform.identify(pid)));

  /** Members one by one, each verified by its start time: what is in a job never leaves it. */
  function killEach(spare: ReadonlySet<number>): void {
    for (const pid of memberPids()) {
      const identity = spare.has(pid) ? undefined : platform.identify(pid);
      if (identity) platform.signal(identity, 'SIGKILL');
    }
  }

  async function killTree(deadlineMs: number, spare: ReadonlySet<number>): Promise<Member[]> {
    const end = Date.now() + deadlineMs;
    for (let step = 0; ; step += 1) {
      const pids = memberPids();
      if (pids.every((pid) => spare.has(pid))) return [];
      if (Date.now() >= end) return members().filter((member) => !spare.has(member.pid));
      const isWhole = !pids.some((pid) => spare.has(pid));
      const isDone = isWhole && withJob(JobAccess.terminate, (job) => terminateJob(win32, job, KILLED)) !== undefined;
      if (!isDone) killEach(spare);
      await sleep(STEPS[Math.min(step, STEPS.length - 1)]);
    }
  }

  function change(job: number, limits: LimitChange): void {
    const flags = changeLimits(win32, job, record.job?.flags ?? 0, limits);
    if (record.job) record = { ...record, job: { ...record.job, flags } };
  }

  /** The limit, and each member too: where the limit does nothing it is at least as on Unix. */
  function setPriority(on: boolean): PriorityResult {
    const isLimit = withJob(JobAccess.query | JobAccess.setAttributes, (job) => {
      if (on) change(job, { set: JobLimit.priorityClass });
      else {
        // Without a limit members keep the class that they have: so normal for all, and then none.
        change(job, { set: JobLimit.priorityClass, priorityClass: PriorityClass.normal });
        change(job, { clear: JobLimit.priorityClass });
      }
      return true;
    });
    return { ...setNiceness(memberPids, on), isLimit: isLimit === true };
  }

  /** A handle in the agent would keep a job open that is to end with us. */
  const endsWithUs = () => ((record.job?.flags ?? 0) & JobLimit.killOnClose) !== 0;

  /** Keeps the name for as long as that process lives. */
  function handOn(process: number): void {
    if (held !== undefined) duplicateHandle(win32, held, { into: process, access: JobAccess.synchronize });
  }

  function leaveToMembers(job: number): void {
    if (readJobPids(win32, job).length === 0) return;
    handOnToMembers(win32, job);
    if (endsWithUs()) change(job, { clear: JobLimit.killOnClose });
  }

  return {
    type: 'job',
    confidence: 'high',
    get record() {
      return record;
    },
    spawnInside(spawn) {
      if (held === undefined) throw new TrackerError('job-failed', `the job ${record.job?.name ?? ''} is not ours`);
      // Inherited by what inherits at all: so the name outlives the wrapper and the agent without our doing.
      const access = JobAccess.synchronize;
      const keeper = endsWithUs() ? undefined : duplicateHandle(win32, held, { access, inheritable: true });
      try {
        const spawned = spawn({ job: held, inherited: keeper === undefined ? [] : [keeper] });
        isHandedOn = keeper !== undefined;
        return spawned;
      } catch (error) {
        if (!(error instanceof EnclosureError)) throw error;
        throw new TrackerError('job-refused', `${record.job?.name ?? ''}: ${error.message}`, { cause: error });
      } finally {
        if (keeper !== undefined) closeHandle(win32, keeper);
      }
    },
    assign(root) {
      const opened = withProcess(win32, root.pid, ASSIGN, (process) => {
        withJob(JobAccess.query | JobAccess.assign, (job) => {
          if (!isInJob(win32, process, job)) assignToJob(win32, job, process);
        });
        if (!isHandedOn && !endsWithUs()) tryTo(() => handOn(process));
      });
      if (opened === 'denied') throw new TrackerError('job-failed', `process ${root.pid} cannot be opened`);
    },
    memberPids,
    members,
    killTree: ({ deadlineMs, spare = new Set() }) => killTree(deadlineMs, spare),
    killPid(identity: Identity) {
      const isMember = memberPids().includes(identity.pid) && platform.isAlive(identity);
      return isMember ? platform.signal(identity, 'SIGKILL') : 'not-member';
    },
    // There is no request to end that reaches every program: no grace.
    terminate: () => false,
    setFrozen: () => false,
    setBelowNormalPriority: setPriority,
    cpuTimeNs() {
      // Nothing at all is what a system tells that does not count.
      return withJob(JobAccess.query, (job) => readJobAccounting(win32, job).cpuNs) || undefined;
    },
    oomKills: () => undefined,
    dispose() {
      const job = held;
      if (job === undefined) return;
      tryTo(() => leaveToMembers(job));
      held = undefined;
      closeHandle(win32, job);
    },
  };
}

/** What a block file says of a block in a job object. */
export function jobRecord(fields: Pick<TrackerRecord, 'reasons' | 'job'>): TrackerRecord {
  return { type: 'job', confidence: 'high', cgroupPath: undefined, scope: undefined, subreaper: false, ...fields };
}

/** Exit code of what we end: that of a process that died of KILL, as shells tell it. */
const KILLED = 137;
/** Waits between two looks, ms; the last is repeated. */
const STEPS = [1, 2, 4, 8, 15, 25, 50, 100];
/** PROCESS_DUP_HANDLE. */
const DUPLICATE = 0x40;
/** What AssignProcessToJobObject and IsProcessInJob need, and PROCESS_DUP_HANDLE. */
const ASSIGN = 0x1 | 0x100 | 0x400 | DUPLICATE;

function toMember(pid: number, identity: Identity | undefined): Member {
  return { pid, startTicks: identity?.startTicks, source: 'enclosure', confidence: 'high', escaped: false };
}

/** What may fail without harm. */
function tryTo(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof Win32Error)) throw error;
  }
}
