import type { BlockRecord } from '../model/block.ts';
import type { HostIdentity, Identity } from '../model/identity.ts';
import type { SeenProcess, WrapperIdentity } from './scan-members.ts';

/** What is known of a block without looking at processes: where a scan starts. */
export interface ScanSubject {
  /** Tags of the block and of its child blocks. */
  readonly tags: ReadonlySet<string>;
  readonly roots: readonly Identity[];
  readonly wrappers: readonly WrapperIdentity[];
  readonly recorded: readonly SeenProcess[];
  /** Nothing that started earlier is a member; Infinity if no run of the block was here since the boot. */
  readonly sinceTicks: number;
}

/** Sticky members of a block by its id (Store.recorded). */
export type ReadRecorded = (id: string) => readonly SeenProcess[];

/** The block with its child blocks, theirs included, itself first. */
export function familyOf(record: BlockRecord, records: readonly BlockRecord[]): BlockRecord[] {
  const family = [record];
  const ids = new Set([record.id]);
  for (let i = 0; i < family.length; i += 1) {
    for (const other of records) {
      if (other.parentId !== family[i]?.id || ids.has(other.id) || other.machineId !== record.machineId) continue;
      ids.add(other.id);
      family.push(other);
    }
  }
  return family;
}

/**
 * Where a scan for the block starts. Roots and records of child blocks count too, so that ending the parent ends the
 * child; their wrappers are ordinary members of the parent.
 */
export function subjectOf(
  record: BlockRecord,
  records: readonly BlockRecord[],
  host: HostIdentity,
  readRecorded: ReadRecorded,
): ScanSubject {
  const family = familyOf(record, records);
  const wrappers = record.runs.map((run) => ({
    ...run.wrapper,
    childrenSince: run.root?.startTicks ?? Number.POSITIVE_INFINITY,
  }));
  const roots = family.flatMap((block) => block.runs.flatMap((run) => (run.root ? [run.root] : [])));
  return {
    tags: new Set(family.map((block) => block.tag)),
    roots,
    wrappers,
    recorded: family.flatMap((block) => readRecorded(block.id)),
    sinceTicks: firstStart([...wrappers, ...record.runs.flatMap((run) => (run.root ? [run.root] : []))], host),
  };
}

function firstStart(identities: readonly Identity[], host: HostIdentity): number {
  let first = Number.POSITIVE_INFINITY;
  for (const identity of identities) {
    if (identity.bootId !== host.bootId || identity.pidNamespace !== host.pidNamespace) continue;
    first = Math.min(first, identity.startTicks);
  }
  return first;
}
