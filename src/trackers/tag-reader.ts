import type { ProcessStat } from '../model/process.ts';
import type { Platform } from '../platform/platform.ts';

/** Tells by the environment whether a process carries one of the tags; an identity is looked at once. */
export type TagReader = (stat: ProcessStat) => boolean;

/**
 * Remembers its answers by identity. An environment changes only by exec or when a process overwrites its own, and a
 * member once seen stays one, so that a second look would tell nothing new.
 */
export function createTagReader(platform: Platform, tags: ReadonlySet<string>): TagReader {
  const answers = new Map<number, { readonly startTicks: number; readonly tagged: boolean }>();
  return (stat) => {
    const known = answers.get(stat.pid);
    if (known?.startTicks === stat.startTicks) return known.tagged;
    const tagged = platform.findTag(stat.pid, tags) !== undefined;
    answers.set(stat.pid, { startTicks: stat.startTicks, tagged });
    return tagged;
  };
}
