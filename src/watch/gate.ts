import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BlockRecord } from '../model/block.ts';
import { listGroups } from '../platform/linux/cgroup-fs.ts';
import { findEnclosure } from '../trackers/enclosures.ts';
import { findKeptGroups } from '../trackers/kept-group.ts';
import { familyOf } from '../trackers/subject.ts';

/** What the kernel says of the groups of a block: as long as the texts stay the same nothing happened inside. */
export interface GateReading {
  /** Processes of all groups. */
  readonly procs: string;
  /** CPU used, and whether all is frozen. */
  readonly activity: string;
  /** CPU used by all of it, µs; undefined where it is not counted. */
  readonly cpuUsec: number | undefined;
  readonly frozen: boolean;
}

/** The groups of a block, of those started inside it, and of what is kept of them; empty for a block without. */
export function findGates(record: BlockRecord, records: readonly BlockRecord[]): string[] {
  if (record.tracker.type !== 'cgroup') return [];
  const family = familyOf(record, records).filter(({ tracker }) => tracker.type === 'cgroup');
  return [...family.flatMap((block) => findEnclosure(block) ?? []), ...family.flatMap(findKeptGroups)];
}

/**
 * Reads the gates, about 30 µs each. A process can start, end, run another program or open a socket only by using CPU,
 * and cpu.stat counts in microseconds (cgroup v2, "cpu.stat").
 */
export function readGates(groups: readonly string[]): GateReading {
  const procs = groups.flatMap(listGroups).map((group) => readText(join(group, 'cgroup.procs')));
  const events = groups.map((group) => readText(join(group, 'cgroup.events')));
  const usage = new Map(groups.map((group) => [group, readText(join(group, 'cpu.stat'))]));
  const activity = [...usage.values(), ...events];
  const frozen = events.length > 0 && /^frozen 1$/m.test(events[0] ?? '');
  return { procs: procs.join(';'), activity: activity.join(';'), cpuUsec: sumUsage(usage), frozen };
}

/** A group counts what is below it too. */
function sumUsage(usage: ReadonlyMap<string, string>): number | undefined {
  const groups = [...usage.keys()];
  const tops = groups.filter((group) => !groups.some((other) => group.startsWith(`${other}/`)));
  const numbers = tops.map((group) => /^usage_usec (\d+)$/m.exec(usage.get(group) ?? '')?.[1]);
  if (numbers.length === 0 || numbers.includes(undefined)) return undefined;
  return numbers.reduce((sum, number) => sum + Number(number), 0);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Removed, or a threaded group, whose processes its parent lists.
    return '';
  }
}
