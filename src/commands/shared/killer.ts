import type { Killer } from '../../kill/plan.ts';
import type { BlockRecord } from '../../model/block.ts';
import type { Platform } from '../../platform/platform.ts';

/** Longest chain of parents that is followed: far above any real one. */
const MOST_ANCESTORS = 1000;

/** Who asks for a kill: this process, what runs it, and every wrapper that lives. */
export function findKiller(platform: Platform, pid: number, records: readonly BlockRecord[]): Killer {
  const wrappers = new Map<number, string>();
  for (const record of records) {
    for (const { wrapper } of record.runs) if (platform.isAlive(wrapper)) wrappers.set(wrapper.pid, record.id);
  }
  return { pid, ancestors: findAncestors(platform, pid), wrappers };
}

function findAncestors(platform: Platform, pid: number): ReadonlySet<number> {
  const ancestors = new Set<number>();
  let parent = platform.readStat(pid)?.ppid;
  while (parent !== undefined && parent > 0 && !ancestors.has(parent) && ancestors.size < MOST_ANCESTORS) {
    ancestors.add(parent);
    parent = platform.readStat(parent)?.ppid;
  }
  return ancestors;
}
