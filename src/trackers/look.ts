import type { BlockRecord } from '../model/block.ts';
import type { ProcessStat } from '../model/process.ts';
import type { Platform } from '../platform/platform.ts';
import { withoutHelpers } from './helpers.ts';

/** One look at the machine, shared by the blocks of one command: a table, and each environment read at most once. */
export interface Look {
  readonly table: readonly ProcessStat[];
  stat(pid: number): ProcessStat | undefined;
  /** Which of the blocks' tags the process carries. */
  tagOf(stat: ProcessStat): string | undefined;
}

/** Tags that looks of a moment ago found, by pid, each with the start of the process that it was read of. */
export type KnownTags = Map<number, { readonly startTicks: number; readonly tag: string | undefined }>;

/**
 * Reads the table now; environments only when asked for, and only of identities that are not in `known`, which takes
 * them in: it must serve the same blocks. `records` are all blocks that will be looked at.
 */
export function takeLook(platform: Platform, records: readonly BlockRecord[], known: KnownTags = new Map()): Look {
  const wrappers = records.flatMap(({ runs }) => runs.map(({ wrapper }) => wrapper));
  const table = withoutHelpers(platform.readTable(), platform, wrappers);
  const byPid = new Map(table.map((stat) => [stat.pid, stat]));
  const tags = new Set(records.map((record) => record.tag));
  return {
    table,
    stat: (pid) => byPid.get(pid),
    tagOf(stat) {
      const answer = known.get(stat.pid);
      if (answer?.startTicks === stat.startTicks) return answer.tag;
      const tag = platform.findTag(stat.pid, tags);
      known.set(stat.pid, { startTicks: stat.startTicks, tag });
      return tag;
    },
  };
}
