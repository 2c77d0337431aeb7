import { randomBytes } from 'node:crypto';
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BlockRecord } from '../model/block.ts';
import { groupName, isGroupOfBlock } from '../trackers/group-name.ts';
import type { Tracker } from '../trackers/tracker.ts';

/**
 * Where the killer stands: `outside` it always was, `moved` out just now, `inside` since there is no enclosure to leave
 * or the system refused.
 */
export type Standing = 'outside' | 'moved' | 'inside';

/**
 * Moves this process out of the enclosure of a block that it is about to end, into the group above it or, where that
 * takes no processes (cgroups(7), "no internal processes"), into a fresh leaf beside it, which the next sweep removes.
 */
export function stepOutside(record: BlockRecord, tracker: Tracker): Standing {
  const isInside = (): boolean => tracker.memberPids().includes(process.pid);
  if (!isInside()) return 'outside';
  const enclosure = record.tracker.cgroupPath;
  if (tracker.type !== 'cgroup' || enclosure === undefined) return 'inside';
  if (!isGroupOfBlock(enclosure, record.id, record.tag)) return 'inside';
  if (enterGroup(dirname(enclosure)) || joinFreshLeaf(dirname(enclosure))) return isInside() ? 'inside' : 'moved';
  return 'inside';
}

function joinFreshLeaf(above: string): boolean {
  const leaf = join(above, groupName('killer', randomBytes(4).toString('hex')));
  try {
    mkdirSync(leaf);
  } catch {
    return false;
  }
  if (enterGroup(leaf)) return true;
  rmdirSync(leaf);
  return false;
}

function enterGroup(group: string): boolean {
  try {
    writeFileSync(join(group, 'cgroup.procs'), String(process.pid));
    return true;
  } catch {
    return false;
  }
}
