import type { BlockRecord } from '../model/block.ts';
import type { ProcessStat } from '../model/process.ts';
import type { Platform } from '../platform/platform.ts';

/** One look at the machine, shared by the blocks of one command: a table, and each environment read at most once. */
export interface Look {
  readonly table: readonly ProcessStat[];
  stat(pid: number): ProcessStat | undefined;
  /** Which of the blocks' tags the process carries. */
  tagOf(stat: ProcessStat): string | undefined;
}

/** Reads the table now; environments only when asked for. `records` are all blocks that will be looked at. */
export function takeLook(platform: Platform, records: readonly BlockRecord[]): Look {
  const table = platform.readTable();
  const byPid = new Map(table.map((stat) => [stat.pid, stat]));
  const tags = new Set(records.map((record) => record.tag));
  const answers = new Map<number, string | undefined>();
  return {
    table,
    stat: (pid) => byPid.get(pid),
    tagOf(stat) {
      if (!answers.has(stat.pid)) answers.set(stat.pid, platform.findTag(stat.pid, tags));
      return answers.get(stat.pid);
    },
  };
}
