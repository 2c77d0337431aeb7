import type { BlockRecord } from '../model/block.ts';
import { isGone } from '../model/process.ts';
import type { WatchBlock, WatchEntry, WatchRow } from '../render/screen-types.ts';
import type { BlockView, InspectDeps, MemberView } from '../trackers/inspect.ts';
import { type JoinDeps, joinBlock, joinRows } from './block-watch.ts';
import { findGates, type GateReading, readGates } from './gate.ts';
import { rowKey } from './observation.ts';
import { isSamePlace, isSameStat } from './process-table.ts';

export interface BlockObserverDeps extends JoinDeps {
  /** Looks at a block, with what was read already. */
  readonly inspect: (record: BlockRecord, known: Pick<InspectDeps, 'platform' | 'records' | 'look'>) => BlockView;
  readonly entriesOf?: ((view: BlockView, rows: readonly WatchRow[]) => readonly WatchEntry[]) | undefined;
}

/** Whose numbers must be of this very look, by the keys of their rows; of the selected one all is read again. */
export interface Attention {
  readonly rows: ReadonlySet<string> | 'all';
  readonly selected: string | undefined;
}

export interface LookFacts {
  readonly nowMs: number;
  /** True if the whole machine is searched at this look. */
  readonly isNet: boolean;
  /** True if processes started or ended anywhere since the last look, as far as anybody looked. */
  readonly hasMoved: boolean;
  readonly attention: Attention;
  readonly records: readonly BlockRecord[];
  /** Tags of all blocks. */
  readonly tags: ReadonlySet<string>;
}

/** Of this many members all status lines are read at every look; of more only a share, where nobody looks at them. */
const ALL_MEMBERS = 64;
/** So many looks go by until every member was read again. */
const TURNS = 5;
/** Sockets of a process that is younger than this are read at every look at which members changed, ms. */
const YOUNG_MS = 10_000;

/** One block over many looks: finds out first how little must be read. */
export class BlockObserver {
  record: BlockRecord;
  view: BlockView | undefined;
  rows: readonly WatchRow[] = [];
  block: WatchBlock | undefined;
  entries: readonly WatchEntry[] | undefined;
  readonly #deps: BlockObserverDeps;
  #gates: readonly string[];
  #reading: GateReading | undefined;
  #isStale = true;
  #turn = 0;
  #needsPorts = true;
  #cpu: { readonly ms: number; readonly atMs: number } | undefined;

  constructor(record: BlockRecord, records: readonly BlockRecord[], deps: BlockObserverDeps) {
    this.record = record;
    this.#deps = deps;
    this.#gates = findGates(record, records);
  }

  /** True if members may come or go without its groups telling. */
  get reachesOutside(): boolean {
    return this.record.tracker.type === 'scan' || this.view?.members.some(({ escaped }) => escaped) === true;
  }

  /** A record that was read again; a change of it makes the next look a full one. */
  takeRecord(record: BlockRecord, records: readonly BlockRecord[]): void {
    const gates = findGates(record, records);
    const isSame = JSON.stringify(record) === JSON.stringify(this.record) && gates.join() === this.#gates.join();
    this.record = record;
    this.#gates = gates;
    this.#isStale ||= !isSame;
  }

  /** Looks again; true if anything is other than at the last look. */
  look(facts: LookFacts): boolean {
    const reading = this.#gates.length === 0 ? undefined : readGates(this.#gates);
    const isActive = reading === undefined || reading.activity !== this.#reading?.activity;
    const hasNewMembers = reading?.procs !== this.#reading?.procs;
    const wasFrozen = this.#reading?.frozen;
    this.#reading = reading;
    const isDue = this.view === undefined || this.#isStale || hasNewMembers || this.#isOutsideTouched(facts);
    const looked = this.#lookedPids(facts, isActive);
    const change = this.#refresh(looked, facts);
    if (isDue || change === 'place' || this.#hasWrapperGone()) return this.#inspect(facts);
    if (isActive) this.#needsPorts = true;
    const portsRead = facts.isNet && this.#needsPorts && this.#readPorts();
    const isCalmed = !isActive && this.#calm();
    if (change === 'none' && !portsRead && !isCalmed && wasFrozen === reading?.frozen) return false;
    this.#join(facts);
    return true;
  }

  /** True if a process that came or went could be one of ours though our groups tell nothing. */
  #isOutsideTouched({ hasMoved, isNet, tags }: LookFacts): boolean {
    if (!hasMoved || this.view === undefined) return false;
    const { table } = this.#deps;
    if (this.view.members.some(({ pid }) => table.stat(pid) === undefined)) return true;
    if (!isNet && !this.reachesOutside) return false;
    const known = new Set(this.view.members.map(({ pid }) => pid));
    const parents = new Set([...known, ...this.record.runs.map(({ wrapper }) => wrapper.pid)]);
    const own = new Set([this.record.tag]);
    return table.look(tags).table.some((stat) => {
      if (known.has(stat.pid) || isGone(stat)) return false;
      return parents.has(stat.ppid) || own.has(table.tagOf(stat, tags) ?? '');
    });
  }

  /** Pids whose status lines are read at this look. */
  #lookedPids({ attention }: LookFacts, isActive: boolean): number[] {
    if (this.view === undefined || !isActive) return [];
    const { members } = this.view;
    const { rows, selected } = attention;
    if (rows === 'all' || members.length <= ALL_MEMBERS) return members.map(({ pid }) => pid);
    this.#turn = (this.#turn + 1) % TURNS;
    return members
      .filter((member, index) => {
        const key = rowKey(member);
        return index % TURNS === this.#turn || key === selected || rows.has(key);
      })
      .map(({ pid }) => pid);
  }

  /** Reads status lines again: `place` if what a process is to its block can have changed by it. */
  #refresh(pids: readonly number[], { nowMs, attention }: LookFacts): 'none' | 'numbers' | 'place' {
    const { table, details } = this.#deps;
    let change: 'none' | 'numbers' | 'place' = 'none';
    for (const pid of pids) {
      const before = table.stat(pid);
      const percent = table.percent(pid);
      const stat = table.refresh(pid, nowMs);
      const isMoved = before === undefined || stat === undefined || !isSamePlace(before, stat);
      const isLooked = stat !== undefined && rowKey(stat) === attention.selected;
      if (isMoved || details.review(pid, isLooked)) change = 'place';
      else if (change === 'none' && (!isSameStat(before, stat) || percent !== table.percent(pid))) change = 'numbers';
    }
    return change;
  }

  #hasWrapperGone(): boolean {
    const wrapper = this.record.runs.at(-1)?.wrapper;
    if (wrapper === undefined || this.view === undefined) return false;
    return this.#deps.platform.isAlive(wrapper) !== this.view.wrapperAlive;
  }

  #inspect(facts: LookFacts): boolean {
    const { details, table } = this.#deps;
    const before = new Set(this.view?.members.map(({ pid }) => pid));
    this.view = this.#deps.inspect(this.record, {
      platform: details.asPlatform(),
      records: facts.records,
      look: table.look(facts.tags),
    });
    this.#isStale = false;
    for (const { pid } of this.view.members) if (table.stat(pid) === undefined) table.refresh(pid, facts.nowMs);
    const isFirst = before.size === 0 || facts.isNet;
    if (isFirst) this.#readPorts();
    else
      this.#readPortsOf(this.view.members.filter((member) => !before.has(member.pid) || this.#isYoung(member, facts)));
    this.#join(facts);
    return true;
  }

  #isYoung({ startTicks }: MemberView, { nowMs }: LookFacts): boolean {
    return startTicks !== undefined && nowMs - this.#deps.platform.startedAtMs(startTicks) < YOUNG_MS;
  }

  #readPorts(): boolean {
    this.#readPortsOf(this.view?.members ?? []);
    this.#needsPorts = false;
    return true;
  }

  #readPortsOf(members: readonly MemberView[]): void {
    if (this.#deps.ports) this.#deps.details.readListeners(members.map(({ pid }) => pid));
  }

  /** Nothing of it ran since the last look. True if that is news. */
  #calm(): boolean {
    const { table } = this.#deps;
    let isNews = false;
    for (const { pid } of this.view?.members ?? []) {
      isNews ||= (table.percent(pid) ?? 0) > 0;
      table.calm(pid);
    }
    isNews ||= (this.block?.cpuNowPercent ?? 0) > 0;
    return isNews;
  }

  #join({ nowMs }: LookFacts): void {
    const { table, entriesOf } = this.#deps;
    if (this.view === undefined) return;
    const members = this.view.members.map((member) => ({ ...member, stat: table.stat(member.pid) ?? member.stat }));
    const view = { ...this.view, members };
    this.view = view;
    this.rows = joinRows(view, nowMs, this.#deps);
    this.entries = entriesOf?.(view, this.rows);
    const running = this.entries?.filter(({ status }) => status === 'running').length;
    const facts = { cpuNowPercent: this.#measureCpu(nowMs), frozen: this.#isFrozen(members), entries: running };
    this.block = joinBlock(view, this.rows, facts, this.#deps);
  }

  #isFrozen(members: readonly MemberView[]): boolean {
    if (this.#reading !== undefined) return this.#reading.frozen;
    return members.length > 0 && members.every(({ stat }) => stat?.state === 'T');
  }

  /** What all of it used since the last look, in percent of one core. */
  #measureCpu(nowMs: number): number | undefined {
    const usec = /^usage_usec (\d+)$/m.exec(this.#reading?.activity ?? '')?.[1];
    if (usec === undefined || this.view?.members.some(({ escaped }) => escaped) === true) {
      return sumPercent(this.rows);
    }
    const before = this.#cpu;
    const ms = Number(usec) / 1000;
    this.#cpu = { ms, atMs: nowMs };
    if (before === undefined || nowMs <= before.atMs) {
      return sumPercent(this.rows);
    }
    return Math.round(((ms - before.ms) / (nowMs - before.atMs)) * 1000) / 10;
  }
}

function sumPercent(rows: readonly WatchRow[]): number {
  return Math.round(rows.reduce((sum, { cpuNowPercent }) => sum + (cpuNowPercent ?? 0), 0) * 10) / 10;
}
