import type { BlockRecord } from '../model/block.ts';
import { isGone } from '../model/process.ts';
import type { WatchBlock, WatchEntry, WatchRow } from '../render/screen-types.ts';
import type { BlockView, InspectDeps, MemberView } from '../trackers/inspect.ts';
import { BlockCpu } from './block-cpu.ts';
import { type JoinDeps, joinBlock, joinRows, patchRow } from './block-watch.ts';
import { findGates, type GateReading, readGates } from './gate.ts';
import { rowKey } from './observation.ts';
import { isSamePlace, isSameStat, type Reading } from './process-table.ts';
import { signatureOf, type Told, toWatchEntry } from './told.ts';

export interface BlockObserverDeps extends JoinDeps {
  /** Looks at a block, with what was read already. */
  readonly inspect: (record: BlockRecord, known: Pick<InspectDeps, 'platform' | 'records' | 'look'>) => BlockView;
  /** Calls, entries and what is kept of a block; without it they are not known. */
  readonly tell?: ((view: BlockView, portsOf: (pid: number) => readonly number[]) => Told) | undefined;
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
const TURNS = 10;
/** Sockets of a process that is younger than this are read at every look at which members changed, ms. */
const YOUNG_MS = 10_000;
/** Of the looks at the ports of an active block so many are at those alone that have worked. */
const WHOLE_PORTS_EVERY = 6;
/** Where the state cannot be written it is never all. */
const UNSETTLED_LOOKS = 3;

/** What may be other than at the last look. */
export type Change = 'none' | 'numbers' | 'members';

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
  /** Looks since what is told was to be more at the next one; 0 if it is all. */
  #unsettled = 0;
  #told: string | undefined;
  #needsPorts = true;
  #portRounds = 0;
  /** Pids whose numbers are others than at the last look. */
  readonly #changed = new Set<number>();
  /** What the rows tell: the table may have been read again by others since. */
  #shown = new Map<number, Reading>();
  readonly #cpu = new BlockCpu();

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

  /** Looks again: whether members or what they are may be others, or only their numbers, or nothing. */
  look(facts: LookFacts): Change {
    const reading = this.#gates.length === 0 ? undefined : readGates(this.#gates);
    const isActive = reading === undefined || reading.activity !== this.#reading?.activity;
    const isDue = reading?.procs !== this.#reading?.procs || this.#isOutsideTouched(facts);
    const isThawed = this.#reading?.frozen !== reading?.frozen;
    this.#reading = reading;
    if (isActive) this.#needsPorts = true;
    const change = this.#refresh(this.#lookedPids(facts, isActive), facts);
    if (this.view === undefined || this.#isStale || isDue || change === 'place' || this.#hasWrapperGone()) {
      this.#inspect(facts);
      return 'members';
    }
    const hasNewPorts = facts.isNet && this.#needsPorts && this.#readPorts(facts);
    const isUnsettled = this.#unsettled > 0 && this.#unsettled <= UNSETTLED_LOOKS;
    // Time alone makes an entry of a call that goes on.
    if (hasNewPorts || ((isUnsettled || (facts.isNet && isActive)) && this.#hasNews())) {
      this.#join(facts);
      return 'members';
    }
    if (!isActive) this.#calm();
    if (this.#changed.size === 0 && !isThawed && !isActive) return 'none';
    this.#patch(facts);
    return 'numbers';
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
  #refresh(pids: readonly number[], { nowMs, attention }: LookFacts): 'numbers' | 'place' {
    const { table, details } = this.#deps;
    this.#changed.clear();
    for (const pid of pids) {
      const before = this.#shown.get(pid);
      const stat = table.refresh(pid, nowMs);
      if (before === undefined || stat === undefined || !isSamePlace(before.stat, stat)) return 'place';
      if (details.review(pid, rowKey(stat) === attention.selected, nowMs)) return 'place';
      if (!isSameStat(before.stat, stat) || before.percent !== table.percent(pid)) this.#changed.add(pid);
    }
    return 'numbers';
  }

  #hasWrapperGone(): boolean {
    const wrapper = this.record.runs.at(-1)?.wrapper;
    if (wrapper === undefined || this.view === undefined) return false;
    return this.#deps.platform.isAlive(wrapper) !== this.view.wrapperAlive;
  }

  #inspect(facts: LookFacts): void {
    const { details, table } = this.#deps;
    const before = new Set(this.view?.members.map(({ pid }) => pid));
    this.view = this.#deps.inspect(this.record, {
      platform: details.asPlatform(),
      records: facts.records,
      look: table.look(facts.tags),
    });
    this.#isStale = false;
    // What is kept moves to a group of its own without a word in the record.
    this.#gates = findGates(this.record, facts.records);
    const { members } = this.view;
    for (const { pid } of members) if (table.stat(pid) === undefined) table.refresh(pid, facts.nowMs);
    this.#readPortsOf(members.filter((member) => !before.has(member.pid) || this.#isYoung(member, facts)));
    if (facts.isNet) this.#readPorts(facts);
    this.#join(facts);
  }

  #isYoung({ startTicks }: MemberView, { nowMs }: LookFacts): boolean {
    return startTicks !== undefined && nowMs - this.#deps.platform.startedAtMs(startTicks) < YOUNG_MS;
  }

  /** Of those that have worked or are young; now and then of all. True if any sockets are others than before. */
  #readPorts(facts: LookFacts): boolean {
    this.#needsPorts = false;
    const isWhole = this.#portRounds % WHOLE_PORTS_EVERY === 0;
    this.#portRounds += 1;
    const { details } = this.#deps;
    const members = this.view?.members ?? [];
    return this.#readPortsOf(
      members.filter((member) => isWhole || details.hasWorked(member.pid) || this.#isYoung(member, facts)),
    );
  }

  #readPortsOf(members: readonly MemberView[]): boolean {
    return this.#deps.ports && this.#deps.details.readListeners(members.map(({ pid }) => pid));
  }

  /** Nothing of it ran since the last look. */
  #calm(): void {
    for (const { pid, cpuNowPercent } of this.rows) {
      this.#deps.table.calm(pid);
      if ((cpuNowPercent ?? 0) > 0 && this.#deps.table.percent(pid) === 0) this.#changed.add(pid);
    }
  }

  /** Puts new numbers into the rows; what did not change stays the very same row. */
  #patch({ nowMs }: LookFacts): void {
    const { view } = this;
    if (view === undefined) return;
    if (this.#changed.size > 0) {
      this.rows = this.rows.map((row) =>
        this.#changed.has(row.pid) ? (patchRow(row, nowMs, this.#deps) ?? row) : row,
      );
      for (const [pid, reading] of this.#deps.table.readings(this.#changed)) this.#shown.set(pid, reading);
    }
    this.#sum(view, nowMs);
  }

  #join({ nowMs }: LookFacts): void {
    const { table } = this.#deps;
    if (this.view === undefined) return;
    this.#shown = table.readings(this.view.members.map(({ pid }) => pid));
    const members = this.view.members.map((member) => ({ ...member, stat: table.stat(member.pid) ?? member.stat }));
    const view = { ...this.view, members };
    this.view = view;
    const told = this.#tell(view);
    this.#told = signatureOf(told);
    this.rows = joinRows(view, nowMs, told ?? {}, this.#deps);
    this.entries = told?.list.filter(({ status }) => status === 'running').map(toWatchEntry);
    this.#unsettled = told === undefined || told.isSettled ? 0 : this.#unsettled + 1;
    this.#sum(view, nowMs);
  }

  #tell(view: BlockView): Told | undefined {
    const { details, tell } = this.#deps;
    return tell?.(
      view,
      (pid) =>
        details
          .listenersOf([pid])
          .byPid.get(pid)
          ?.map(({ port }) => port) ?? [],
    );
  }

  #hasNews(): boolean {
    const told = this.view && this.#tell(this.view);
    return told !== undefined && (!told.isSettled || signatureOf(told) !== this.#told);
  }

  #sum(view: BlockView, nowMs: number): void {
    const entries = this.entries?.length;
    const facts = {
      cpuNowPercent: this.#cpu.measure(this.#reading, view, this.rows, nowMs),
      frozen: this.#isFrozen(),
      entries,
    };
    this.block = joinBlock(view, this.rows, facts, this.#deps);
  }

  #isFrozen(): boolean {
    if (this.#reading !== undefined) return this.#reading.frozen;
    return this.rows.length > 0 && this.rows.every(({ state }) => state === 'T');
  }
}
