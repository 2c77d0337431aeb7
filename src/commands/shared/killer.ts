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
  let stat = platform.readStat(pid);
  while (stat !== undefined && stat.ppid > 0 && !ancestors.has(stat.ppid) && ancestors.size < MOST_ANCESTORS) {
    const parent = platform.readStat(stat.ppid);
    // The pid of a parent that has ended may be another's.
    if (parent !== undefined && parent.startTicks > stat.startTicks) break;
    ancestors.add(stat.ppid);
    stat = parent;
  }
  return ancestors;
}
