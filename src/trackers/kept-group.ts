import { basename, dirname, join } from 'node:path';
import type { BlockRecord } from '../model/block.ts';
import { makeGroup, moveProcess, readProcsRecursive, removeGroup } from '../platform/linux/cgroup-fs.ts';
import { isCgroup2Directory } from '../platform/linux/cgroup-mount.ts';
import { isGroupOfBlock, keptGroupName, parseGroupName } from './group-name.ts';

/**
 * The groups that hold what is kept of a block: beside the outermost block's group, so that no `cgroup.kill` of a block
 * reaches it; within the systemd scope around that, since the slice is not ours. None for a block without a group.
 */
export function findKeptGroups(record: BlockRecord): string[] {
  return keptPlaces(record).filter(isCgroup2Directory);
}

/** Pids in the groups of what is kept. */
export function readKeptPids(record: BlockRecord): number[] {
  return findKeptGroups(record).flatMap(readProcsRecursive);
}

/**
 * Moves processes into the group of what is kept, and those that `find` tells of meanwhile, until a look finds all of them
 * there. False if the system refuses; then some may have been moved.
 */
export function moveToKept(record: BlockRecord, find: () => readonly number[]): boolean {
  return keptPlaces(record).some((group) => {
    try {
      makeGroup(group);
    } catch {
      return false;
    }
    if (moveAll(find, group)) return true;
    removeGroup(group);
    return false;
  });
}

/** Moves processes back into the block's group, which is made again if it has been removed. False if the system refuses. */
export function moveBack(record: BlockRecord, find: () => readonly number[]): boolean {
  const path = record.tracker.cgroupPath;
  if (path === undefined || !isGroupOfBlock(path, record.id, record.tag)) return false;
  try {
    makeGroup(path);
  } catch {
    return false;
  }
  return isCgroup2Directory(path) && moveAll(find, path) && removeKeptGroups(record);
}

/** Removes the groups of what is kept if they are empty. */
export function removeKeptGroups(record: BlockRecord): true {
  for (const group of findKeptGroups(record)) removeGroup(group);
  return true;
}

/** A child is born in the group of its parent at that moment, so that a few rounds reach all. */
const ROUNDS = 20;

function moveAll(find: () => readonly number[], group: string): boolean {
  for (let round = 0; round < ROUNDS; round += 1) {
    const there = new Set(readProcsRecursive(group));
    const missing = find().filter((pid) => !there.has(pid));
    if (missing.length === 0) return true;
    if (missing.every((pid) => moveProcess(pid, group).status !== 'done') && round > 0) return false;
  }
  return false;
}

/** Where they may be, the best first; a block whose wrapper could not leave its group has only the place within. */
function keptPlaces({ id, tag, tracker }: BlockRecord): string[] {
  const path = tracker.cgroupPath;
  if (path === undefined || !isGroupOfBlock(path, id, tag)) return [];
  const parts = path.split('/');
  const top = parts.slice(0, parts.findIndex((part) => parseGroupName(part) !== undefined) + 1).join('/');
  const name = keptGroupName(id, tag);
  const within = path === top ? [] : [join(top, name)];
  return basename(top).endsWith('.scope') ? within : [join(dirname(top), name), ...within];
}
