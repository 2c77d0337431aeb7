import type { Identity } from '../model/identity.ts';
import type { ProcessStat } from '../model/process.ts';
import type { Platform } from '../platform/platform.ts';

/**
 * The table without the programs by which wrappers read processes: children of a wrapper that are nobody's work, and
 * gone in a moment.
 */
export function withoutHelpers(
  table: readonly ProcessStat[],
  { helperNames }: Pick<Platform, 'helperNames'>,
  wrappers: readonly Pick<Identity, 'pid'>[],
): readonly ProcessStat[] {
  if (helperNames === undefined) return table;
  const pids = new Set(wrappers.map(({ pid }) => pid));
  return table.filter(({ ppid, comm }) => !pids.has(ppid) || !helperNames.has(comm));
}
