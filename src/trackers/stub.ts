import type { TrackerReason, TrackerRecord } from '../model/block.ts';
import { noPriorityChange } from '../model/priority.ts';
import type { Tracker } from './tracker.ts';

/**
 * Tracks nothing and says so: for a person's terminal, and for systems where membership cannot be known. Nothing is
 * listed and nothing is ever signalled through it.
 */
export function createStubTracker(record: TrackerRecord): Tracker {
  return {
    type: 'stub',
    confidence: 'none',
    record,
    spawnInside: (spawn) => spawn(),
    assign: () => undefined,
    memberPids: () => [],
    members: () => [],
    killTree: async () => [],
    killPid: () => 'not-member',
    terminate: () => false,
    setFrozen: () => false,
    setBelowNormalPriority: () => noPriorityChange,
    cpuTimeNs: () => undefined,
    oomKills: () => undefined,
    dispose: () => undefined,
  };
}

/** What a block file says of a block that is not tracked. */
export function stubRecord(reasons: readonly TrackerReason[]): TrackerRecord {
  return { type: 'stub', confidence: 'none', reasons, cgroupPath: undefined, scope: undefined, subreaper: false };
}
