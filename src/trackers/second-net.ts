import type { BlockRecord } from '../model/block.ts';
import { isGone } from '../model/process.ts';
import type { Platform } from '../platform/platform.ts';
import { isEnclosed } from './enclosures.ts';
import type { Look } from './look.ts';
import { type FoundMember, findMembers } from './scan-members.ts';
import { type ReadRecorded, subjectOf } from './subject.ts';

export interface OutsideDeps {
  readonly platform: Platform;
  /** A look taken before the enclosure was read. */
  readonly look: Look;
  readonly records: readonly BlockRecord[];
  readonly recorded: ReadRecorded;
  /** Reads the pids in the enclosure again. */
  enclosedNow(): ReadonlySet<number>;
}

/**
 * Members of a block that are not in its enclosure (`enclosed`): the second net beside a cgroup or a job, and all there is
 * without one. Who was born in the enclosure or died while we looked is not taken for one that left it: each is in
 * neither of two reads of the enclosure and lives after the second.
 */
export function findOutside(record: BlockRecord, enclosed: ReadonlySet<number>, deps: OutsideDeps): FoundMember[] {
  const { platform, look } = deps;
  const subject = subjectOf(record, deps.records, platform.host(), deps.recorded);
  const found = findMembers({
    ...subject,
    table: look.table,
    host: platform.host(),
    countsGroups: platform.os !== 'linux',
    enclosed,
    isTagged: (stat) => subject.tags.has(look.tagOf(stat) ?? ''),
  });
  if (found.length === 0 || !isEnclosed(record)) return found;
  const again = deps.enclosedNow();
  return found.filter(({ stat }) => !again.has(stat.pid) && isSame(platform, stat));
}

function isSame(platform: Platform, stat: FoundMember['stat']): boolean {
  const now = platform.readStat(stat.pid);
  return now !== undefined && !isGone(now) && now.startTicks === stat.startTicks;
}
