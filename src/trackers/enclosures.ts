import type { BlockRecord } from '../model/block.ts';
import { isCgroup2Directory } from '../platform/linux/cgroup-mount.ts';
import type { Platform } from '../platform/platform.ts';
import { createCgroupTracker } from './cgroup.ts';
import { isGroupOfBlock } from './group-name.ts';
import { findKeptGroups } from './kept-group.ts';
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
}

/** Opens the recorded groups of the block and its children, each checked by findEnclosure. */
export function openEnclosures(record: BlockRecord, platform: Platform, records: readonly BlockRecord[]): Enclosures {
  const open = (block: BlockRecord) =>
    createCgroupTracker({ record: block.tracker, platform, enclosure: findEnclosure(block) });
  const own = record.tracker.type === 'cgroup' ? open(record) : undefined;
  const family = familyOf(record, records).filter(({ tracker }) => tracker.type === 'cgroup');
  const children = family.filter((child) => child !== record && !isWithin(child, record) && findEnclosure(child));
  const kept = family.flatMap((block) =>
    findKeptGroups(block).map((enclosure) => createCgroupTracker({ record: block.tracker, platform, enclosure })),
  );
  return { own, children: children.map(open), kept };
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
