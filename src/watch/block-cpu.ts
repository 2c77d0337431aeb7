import type { WatchRow } from '../render/screen-types.ts';
import type { BlockView } from '../trackers/inspect.ts';
import type { GateReading } from './gate.ts';

/** What a block used between two looks. */
export class BlockCpu {
  #last: { readonly ms: number; readonly atMs: number } | undefined;

  /**
   * In percent of one core: what the kernel counted for all of its groups, else the sum of its rows. Members that left its
   * groups count by their rows alone.
   */
  measure(reading: GateReading | undefined, view: BlockView, rows: readonly WatchRow[], nowMs: number): number {
    const usec = reading?.cpuUsec;
    if (usec === undefined || view.members.some(({ escaped }) => escaped)) return sumPercent(rows);
    const before = this.#last;
    const ms = usec / 1000;
    this.#last = { ms, atMs: nowMs };
    // A group that came or went takes its count along.
    if (before === undefined || nowMs <= before.atMs || ms < before.ms) return sumPercent(rows);
    return Math.round(((ms - before.ms) / (nowMs - before.atMs)) * 1000) / 10;
  }
}

function sumPercent(rows: readonly WatchRow[]): number {
  return Math.round(rows.reduce((sum, { cpuNowPercent }) => sum + (cpuNowPercent ?? 0), 0) * 10) / 10;
}
