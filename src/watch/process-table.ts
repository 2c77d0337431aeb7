import type { ProcessStat } from '../model/process.ts';
import { isGone } from '../model/process.ts';
import type { Platform } from '../platform/platform.ts';
import type { Look } from '../trackers/look.ts';

/** What the last readings of a status line told. */
export interface Reading {
  readonly stat: ProcessStat;
  /** Percent of one core between the last two. */
  readonly percent: number | undefined;
}

interface Seen extends Reading {
  readonly readAtMs: number;
}

/**
 * The process table of the machine, kept between looks: only what is new or asked for is read. A process that is not
 * read again keeps its old numbers; what started and ended is right after each `update`.
 */
export class ProcessTable {
  readonly #platform: Platform;
  readonly #seen = new Map<number, Seen>();
  /** Pids that are in use and nothing of ours: kernel threads. */
  readonly #ignored = new Set<number>();
  readonly #tags = new Map<
    number,
    { readonly startTicks: number; readonly tag: string | undefined; readonly isFinal: boolean }
  >();
  #lastPid: number | undefined;
  #isFilled = false;
  #updatedAtMs = 0;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /**
   * Takes in what started and ended since the last time. Reads the whole table at first and when `isWhole`; else only
   * what is new, and nothing where no pid was given away. True if anything came or went.
   */
  update(nowMs: number, isWhole: boolean): boolean {
    const lastPid = this.#platform.lastPid();
    this.#updatedAtMs = nowMs;
    const isSame = this.#isFilled && !isWhole && lastPid !== undefined && lastPid === this.#lastPid;
    this.#lastPid = lastPid;
    if (isSame) return false;
    if (!this.#isFilled || isWhole) return this.#readAll(nowMs);
    return this.#readNew(nowMs);
  }

  /** Reads the status line again; undefined if the process has ended. */
  refresh(pid: number, nowMs: number): ProcessStat | undefined {
    const stat = this.#platform.readStat(pid);
    if (stat === undefined) this.#seen.delete(pid);
    else this.#add(stat, nowMs);
    return stat;
  }

  /** As it was last read; a process that was not seen before is read now. */
  stat(pid: number): ProcessStat | undefined {
    return this.#seen.get(pid)?.stat;
  }

  /** Percent of one core between the last two readings; undefined before there were two. */
  percent(pid: number): number | undefined {
    return this.#seen.get(pid)?.percent;
  }

  /** What is known of some processes, those left out that have gone. */
  readings(pids: Iterable<number>): Map<number, Reading> {
    const readings = new Map<number, Reading>();
    for (const pid of pids) {
      const seen = this.#seen.get(pid);
      if (seen !== undefined) readings.set(pid, seen);
    }
    return readings;
  }

  /** Says that the process used nothing since it was last read. */
  calm(pid: number): void {
    const seen = this.#seen.get(pid);
    if (seen?.percent !== undefined && seen.percent > 0) this.#seen.set(pid, { ...seen, percent: 0 });
  }

  /** The table as trackers look at it. */
  look(tags: ReadonlySet<string>): Look {
    return {
      table: [...this.#seen.values()].map(({ stat }) => stat),
      stat: (pid) => this.stat(pid),
      tagOf: (stat) => this.tagOf(stat, tags),
    };
  }

  /**
   * Which of the tags a process carries. Read once an identity; of one that has none and has just started again, since
   * between fork and exec a process still has the environment of its parent.
   */
  tagOf(stat: ProcessStat, tags: ReadonlySet<string>): string | undefined {
    const known = this.#tags.get(stat.pid);
    if (known?.startTicks === stat.startTicks && known.isFinal) return known.tag;
    const tag = this.#platform.findTag(stat.pid, tags);
    const ageMs = this.#updatedAtMs - this.#platform.startedAtMs(stat.startTicks);
    this.#tags.set(stat.pid, { startTicks: stat.startTicks, tag, isFinal: tag !== undefined || ageMs > EXEC_MS });
    return tag;
  }

  /** To be called when there are tags that were not asked for before. */
  forgetTags(): void {
    this.#tags.clear();
  }

  #readAll(nowMs: number): boolean {
    const table = this.#platform.readTable();
    const before = this.#seen.size;
    const pids = new Set(table.map(({ pid }) => pid));
    const isNew = table.some(({ pid, startTicks }) => this.#seen.get(pid)?.stat.startTicks !== startTicks);
    for (const pid of this.#seen.keys()) if (!pids.has(pid)) this.#seen.delete(pid);
    for (const stat of table) this.#add(stat, nowMs);
    for (const pid of this.#platform.listPids()) if (!pids.has(pid)) this.#ignored.add(pid);
    this.#forgetGone(pids);
    this.#isFilled = true;
    return isNew || before !== this.#seen.size;
  }

  #readNew(nowMs: number): boolean {
    const pids = new Set(this.#platform.listPids());
    let hasChanged = false;
    for (const pid of this.#seen.keys()) {
      if (pids.has(pid)) continue;
      this.#seen.delete(pid);
      hasChanged = true;
    }
    for (const pid of pids) {
      if (this.#seen.has(pid) || this.#ignored.has(pid)) continue;
      const stat = this.#platform.readStat(pid);
      if (stat === undefined) continue;
      this.#add(stat, nowMs);
      hasChanged = true;
    }
    this.#forgetGone(pids);
    return hasChanged;
  }

  #forgetGone(pids: ReadonlySet<number>): void {
    for (const pid of this.#tags.keys()) if (!pids.has(pid)) this.#tags.delete(pid);
    for (const pid of this.#ignored) if (!pids.has(pid)) this.#ignored.delete(pid);
  }

  #add(stat: ProcessStat, nowMs: number): void {
    const before = this.#seen.get(stat.pid);
    const isSame = before?.stat.startTicks === stat.startTicks;
    const elapsed = isSame ? nowMs - before.readAtMs : 0;
    // Readings too close to each other tell nothing: the kernel counts in hundredths of a second.
    if (isSame && elapsed < SHORTEST_SPAN_MS) {
      this.#seen.set(stat.pid, { ...before, stat: { ...stat, cpuMs: before.stat.cpuMs } });
      return;
    }
    const percent = isSame ? Math.round(((stat.cpuMs - before.stat.cpuMs) / elapsed) * 1000) / 10 : undefined;
    this.#seen.set(stat.pid, { stat, readAtMs: nowMs, percent });
  }
}

const SHORTEST_SPAN_MS = 200;
const EXEC_MS = 1000;

/** True if two readings of one process tell the same of it, its resident memory included. */
export function isSameStat(a: ProcessStat | undefined, b: ProcessStat | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.startTicks === b.startTicks &&
    a.cpuMs === b.cpuMs &&
    a.rssBytes === b.rssBytes &&
    a.state === b.state &&
    isSamePlace(a, b)
  );
}

/** True if a process still stands where it stood, under the same name: what it is to its block can not have changed. */
export function isSamePlace(a: ProcessStat, b: ProcessStat): boolean {
  return (
    a.startTicks === b.startTicks &&
    a.ppid === b.ppid &&
    a.sid === b.sid &&
    a.comm === b.comm &&
    isGone(a) === isGone(b)
  );
}
