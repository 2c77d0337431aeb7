import type { BlockRecord } from '../model/block.ts';
import type { HostIdentity } from '../model/identity.ts';

/** Seven days, ms. */
export const PRUNE_AGE_MS = 7 * 24 * 3_600_000;

/** What is true now of a record of this machine and namespace, found by looking. */
export interface PruneFacts {
  readonly host: HostIdentity;
  /** False also where the record names no wrapper. */
  isWrapperAlive(record: BlockRecord): boolean;
  /** Live members, the second net's included; undefined if that cannot be known (stub tracker). */
  countMembers(record: BlockRecord): number | undefined;
}

/**
 * The records that may be removed: nothing of the block lives and its last run ended more than `maxAgeMs` ago. What
 * the record says of its state does not count: wrapper and members that are gone have ended, whoever killed them. A run
 * that nobody saw end counts from its start. Never a record of another machine or pid namespace, where we cannot look.
 * Facts are asked only for records that are old enough.
 */
export function selectPrunable(
  records: readonly BlockRecord[],
  facts: PruneFacts,
  nowMs: number,
  maxAgeMs: number = PRUNE_AGE_MS,
): BlockRecord[] {
  return records.filter(
    (record) => isOurs(record, facts.host) && nowMs - lastChangeMs(record) > maxAgeMs && isOver(record, facts),
  );
}

function isOurs(record: BlockRecord, host: HostIdentity): boolean {
  return (
    record.machineId === host.machineId && record.runs.every((run) => run.wrapper.pidNamespace === host.pidNamespace)
  );
}

function lastChangeMs(record: BlockRecord): number {
  return Math.max(record.createdAtMs, ...record.runs.map((run) => run.endedAtMs ?? run.startedAtMs));
}

/** A stub tracker lists nothing, so only what its wrapper wrote can tell that the block has ended. */
function isOver(record: BlockRecord, facts: PruneFacts): boolean {
  if (facts.isWrapperAlive(record)) return false;
  const members = facts.countMembers(record);
  return members === undefined ? record.state === 'ended' : members === 0;
}
