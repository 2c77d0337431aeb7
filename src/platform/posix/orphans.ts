import type { TrackerType } from '../../model/block.ts';
import { native } from '../linux/native.ts';
import { startReaper } from '../linux/reaper.ts';
import type { Platform } from '../platform.ts';
import type { OrphanKeeper } from '../starter.ts';

/**
 * In a scan orphans are found as our descendants only, so we are their subreaper before anything starts. A group keeps
 * them anyway: there the native code is loaded right after the agent's start, which it would delay by some ms; what the
 * agent orphans in these few ms is init's to reap. A person's
 * terminal is left as it is. As the first process of a pid namespace we are their parent without asking. Linux alone has
 * subreapers.
 */
export function keepOrphans(type: TrackerType, platform: Platform, ownPid: number): OrphanKeeper {
  const own = new Set<number>();
  const isLinux = platform.os === 'linux';
  const isFirst = isLinux && ownPid === 1;
  const isWanted = isLinux && type !== 'stub' && !isFirst;
  let isSubreaper = type === 'scan' && isWanted && native.setSubreaper(true);
  let reaper: { stop(): void } | undefined;
  return {
    own,
    get isSubreaper() {
      return isSubreaper;
    },
    adopt() {
      if (isWanted && !isSubreaper) isSubreaper = native.setSubreaper(true);
    },
    start() {
      if (isSubreaper || isFirst) reaper = startReaper({ platform, native, own, onFlood: () => adoptNoMore() });
    },
    stop: () => reaper?.stop(),
  };

  /** What is orphaned from now on is found by the group, the tag and what was recorded. */
  function adoptNoMore(): void {
    if (isSubreaper && native.setSubreaper(false)) isSubreaper = false;
  }
}
