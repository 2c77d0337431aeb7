import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { BlockRecord } from '../model/block.ts';
import { makeGroup, moveProcess, removeGroup } from '../platform/linux/cgroup-fs.ts';
import { findEnclosure } from '../trackers/enclosures.ts';
import { groupName } from '../trackers/group-name.ts';
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
  const enclosure = tracker.type === 'cgroup' ? findEnclosure(record) : undefined;
  if (enclosure === undefined) return 'inside';
  const above = dirname(enclosure);
  const isMoved = enterGroup(above) || enterFreshLeaf(above);
  return isMoved && !isInside() ? 'moved' : 'inside';
}

function enterFreshLeaf(above: string): boolean {
  const leaf = join(above, groupName('killer', randomBytes(4).toString('hex')));
  try {
    makeGroup(leaf);
  } catch {
    return false;
  }
  if (enterGroup(leaf)) return true;
  removeGroup(leaf);
  return false;
}

function enterGroup(group: string): boolean {
  return moveProcess(process.pid, group).status === 'done';
}
