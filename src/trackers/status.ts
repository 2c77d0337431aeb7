import type { BlockRecord, BlockStatus } from '../model/block.ts';
import type { HostIdentity } from '../model/identity.ts';

/** What was found of a block by looking. */
export interface StatusFacts {
  readonly host: HostIdentity;
  readonly wrapperAlive: boolean;
  /** True if the root of the last run lives. */
  readonly rootAlive: boolean;
  readonly hasMembers: boolean;
}

/**
 * Where a block's record can be judged: `here`; `elsewhere` (another machine or pid namespace: shown, never signalled,
 * never pruned); `past`: an earlier boot of this machine, of which nothing lives.
 */
export function placeOf(record: BlockRecord, host: HostIdentity): 'here' | 'elsewhere' | 'past' {
  if (record.machineId !== host.machineId) return 'elsewhere';
  const wrapper = record.runs.at(-1)?.wrapper;
  if (!wrapper) return 'here';
  if (wrapper.bootId !== host.bootId) return 'past';
  return wrapper.pidNamespace === host.pidNamespace ? 'here' : 'elsewhere';
}

/** What the block is now. While its wrapper lives the run is not over before the agent's end has been seen. */
export function statusOf(record: BlockRecord, facts: StatusFacts): BlockStatus {
  const place = placeOf(record, facts.host);
  if (place === 'elsewhere') return 'elsewhere';
  if (place === 'past') return 'ended';
  if (facts.wrapperAlive && record.state === 'starting') return 'starting';
  if (facts.wrapperAlive && record.state === 'running') {
    return facts.rootAlive || !facts.hasMembers ? 'running' : 'leftovers';
  }
  if (!facts.hasMembers) return 'ended';
  return record.state === 'ended' ? 'leftovers' : 'wrapper-gone';
}
