import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BlockRecord } from '../model/block.ts';
import { listGroups } from '../platform/linux/cgroup-fs.ts';
import { findEnclosure } from '../trackers/enclosures.ts';
import { familyOf } from '../trackers/subject.ts';

/** What the kernel says of the groups of a block: as long as the texts stay the same nothing happened inside. */
export interface GateReading {
  /** Processes of all groups. */
  readonly procs: string;
  /** CPU used, and whether all is frozen. */
  readonly activity: string;
  readonly frozen: boolean;
}

/** The groups of a block and of those started inside it; empty for a block without. */
export function findGates(record: BlockRecord, records: readonly BlockRecord[]): string[] {
  if (record.tracker.type !== 'cgroup') return [];
  return familyOf(record, records).flatMap((block) => {
    return block.tracker.type === 'cgroup' ? (findEnclosure(block) ?? []) : [];
  });
}

/**
 * Reads the gates, about 30 µs each. A process can start, end, run another program or open a socket only by using CPU,
 * and cpu.stat counts in microseconds (cgroup v2, "cpu.stat").
 */
export function readGates(groups: readonly string[]): GateReading {
  const procs = groups.flatMap(listGroups).map((group) => readText(join(group, 'cgroup.procs')));
  const events = groups.map((group) => readText(join(group, 'cgroup.events')));
  const activity = [...groups.map((group) => readText(join(group, 'cpu.stat'))), ...events];
  const frozen = events.length > 0 && /^frozen 1$/m.test(events[0] ?? '');
  return { procs: procs.join(';'), activity: activity.join(';'), frozen };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Removed, or a threaded group, whose processes its parent lists.
    return '';
  }
}
