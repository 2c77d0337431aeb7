import type { BlockRecord, TrackerReason } from '../model/block.ts';
import { isCgroup2Directory } from '../platform/linux/cgroup-mount.ts';
import type { Platform } from '../platform/platform.ts';
import { win32 as ownWin32, type Win32 } from '../platform/windows/ffi-call.ts';
import { JobAccess } from '../platform/windows/job-calls.ts';
import { createCgroupTracker } from './cgroup.ts';
import { isGroupOfBlock } from './group-name.ts';
import { createJobTracker } from './job-object.ts';
import { findKeptGroups } from './kept-group.ts';
import { type OpenJobDeps, openJobOf } from './open-job.ts';
import { familyOf } from './subject.ts';
import type { Tracker } from './tracker.ts';

/** Enclosures of a block and of its child blocks. */
export interface Enclosures {
  /** Undefined if the block has no enclosure; one that has gone is there, and empty. */
  readonly own: Tracker | undefined;
  /** Of child blocks, where they do not lie within the block's own. */
  readonly children: readonly Tracker[];
  /** Groups that hold what is kept of the block and of its child blocks: beside all that is ended. */
  readonly kept: readonly Tracker[];
  /** Why the block's own cannot be had though it was made: what lives of it is found by scan. */
  readonly lost: TrackerReason | undefined;
}

/** True if the kernel keeps the list of members, so that who is not in it has left it. */
export function isEnclosed({ tracker }: Pick<BlockRecord, 'tracker'>): boolean {
  return tracker.type === 'cgroup' || tracker.type === 'job';
}

/** Opens what is recorded to hold the block and its children, each verified to be theirs. */
export function openEnclosures(
  record: BlockRecord,
  platform: Platform,
  records: readonly BlockRecord[],
  win32: Win32 = ownWin32,
): Enclosures {
  if (platform.os === 'win32') return openJobs(record, { platform, win32 }, records);
  const open = (block: BlockRecord) =>
    createCgroupTracker({ record: block.tracker, platform, enclosure: findEnclosure(block) });
  const own = record.tracker.type === 'cgroup' ? open(record) : undefined;
  const family = familyOf(record, records).filter(({ tracker }) => tracker.type === 'cgroup');
  const children = family.filter((child) => child !== record && !isWithin(child, record) && findEnclosure(child));
  const kept = family.flatMap((block) =>
    findKeptGroups(block).map((enclosure) => createCgroupTracker({ record: block.tracker, platform, enclosure })),
  );
  return { own, children: children.map(open), kept, lost: undefined };
}

/** Jobs of child blocks are nested in the block's where their wrapper is in it; opened again they do no harm. */
function openJobs(record: BlockRecord, deps: OpenJobDeps, records: readonly BlockRecord[]): Enclosures {
  const opened = familyOf(record, records)
    .filter(({ tracker }) => tracker.type === 'job')
    .map((block) => {
      const open = (access: number) => openJobOf(block, deps, access);
      const trial = open(JobAccess.query);
      if (trial.status === 'lost') return { block, tracker: undefined, lost: trial.reason };
      trial.close();
      return { block, tracker: createJobTracker({ ...deps, record: block.tracker, open }), lost: undefined };
    });
  const own = opened.find(({ block }) => block === record);
  const children = opened.flatMap(({ block, tracker }) => (block === record || !tracker ? [] : [tracker]));
  return { own: own?.tracker, children, kept: [], lost: own?.lost };
}

/** The record of a block whose enclosure is lost: a scan, for that reason. */
export function withoutEnclosure(record: BlockRecord, reason: TrackerReason): BlockRecord {
  const { reasons } = record.tracker;
  return {
    ...record,
    tracker: { ...record.tracker, type: 'scan', confidence: 'best_effort', reasons: [...reasons, reason] },
  };
}

/**
 * Directory of the block's group, taken only if its name carries the block's nonce and it is a cgroup v2 directory;
 * undefined if it is gone or not the block's.
 */
export function findEnclosure(record: BlockRecord): string | undefined {
  const path = record.tracker.cgroupPath;
  if (path === undefined || !isGroupOfBlock(path, record.id, record.tag)) return undefined;
  return isCgroup2Directory(path) ? path : undefined;
}

function isWithin(child: BlockRecord, parent: BlockRecord): boolean {
  const group = findEnclosure(parent);
  return group !== undefined && child.tracker.cgroupPath?.startsWith(`${group}/`) === true;
}
