import type { BlockRecord } from '../model/block.ts';
import type { Platform } from '../platform/platform.ts';
import type { WatchBlock, WatchEntry, WatchRow } from '../render/screen-types.ts';
import type { Store, UnreadableRecord } from '../state/store.ts';
import type { BlockView } from '../trackers/inspect.ts';
import {
  type Attention,
  BlockObserver,
  type BlockObserverDeps,
  type Change,
  type LookFacts,
} from './block-observer.ts';
import { type JoinDeps, orderBlocks } from './block-watch.ts';
import { DetailCache } from './detail-cache.ts';
import type { Observation } from './observation.ts';
import { ProcessTable } from './process-table.ts';
import { RecordReader } from './record-reader.ts';

export interface ObserverOptions
  extends Pick<JoinDeps, 'ports' | 'redact' | 'summarize'>,
    Pick<BlockObserverDeps, 'inspect' | 'tell'> {
  readonly platform: Platform;
  readonly store: Pick<Store, 'directory' | 'list'>;
  /** Wall clock, ms since the epoch. */
  now(): number;
  /** Which blocks are watched, of those that have something alive. */
  isWatched(record: BlockRecord, records: readonly BlockRecord[]): boolean;
  /** Told of every view that the second net made, so that what it found can be kept. */
  onNet?(view: BlockView): void;
}

/** Every fifth look the whole machine is searched for members that left their block. */
export const NET_EVERY = 5;
/** So often the whole process table is read again, against pids that were given away twice between two looks. */
const WHOLE_EVERY = 30;

/**
 * Looks at the blocks again and again, at the price of what has changed: a block whose groups tell the same as before
 * costs a few small reads.
 */
export class Observer {
  readonly #options: ObserverOptions;
  readonly #records: RecordReader;
  readonly #table: ProcessTable;
  readonly #details: DetailCache;
  readonly #blocks = new Map<string, BlockObserver>();
  readonly #ended = new Map<string, string>();
  #tags: ReadonlySet<string> = new Set();
  #round = 0;
  #last: Observation | undefined;
  #unreadable: readonly UnreadableRecord[] = [];

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#records = new RecordReader(options.store, () => options.now());
    this.#table = new ProcessTable(options.platform);
    this.#details = new DetailCache(options.platform, this.#table);
  }

  /** State files that could not be read at the last look. */
  get unreadable(): readonly UnreadableRecord[] {
    return this.#unreadable;
  }

  /** The last view of a block; undefined if it is not watched. */
  view(id: string): BlockView | undefined {
    return this.#blocks.get(id)?.view;
  }

  /** Records of all blocks, as last read. */
  get records(): readonly BlockRecord[] {
    return this.#records.read().listing.blocks;
  }

  /** Makes the next look a full one. */
  expectChange(): void {
    this.#round = 0;
  }

  look(attention: Attention): Observation {
    const nowMs = this.#options.now();
    const isNet = this.#round % NET_EVERY === 0;
    const { listing, isNew } = this.#records.read();
    this.#unreadable = listing.unreadable;
    if (isNew) this.#takeRecords(listing.blocks);
    const isOpen = [...this.#blocks.values()].some((block) => block.reachesOutside);
    const hasMoved = isNet || isOpen ? this.#table.update(nowMs, this.#round % WHOLE_EVERY === 0) : false;
    this.#round += 1;
    const change = this.#lookAtBlocks(listing.blocks, { nowMs, isNet, hasMoved, attention });
    if (change === 'none' && !isNew && this.#last !== undefined) this.#last = { ...this.#last, atMs: nowMs };
    else this.#last = this.#observe(nowMs);
    if (change === 'members' || isNew) this.#forgetGone();
    return this.#last;
  }

  #takeRecords(records: readonly BlockRecord[]): void {
    const { isWatched } = this.#options;
    const tags = new Set(records.map(({ tag }) => tag));
    if ([...tags].some((tag) => !this.#tags.has(tag))) this.#table.forgetTags();
    this.#tags = tags;
    const watched = records.filter((record) => isWatched(record, records));
    const ids = new Set(watched.map(({ id }) => id));
    for (const id of this.#blocks.keys()) if (!ids.has(id)) this.#blocks.delete(id);
    for (const record of watched) {
      if (this.#ended.get(record.id) === signatureOf(record)) continue;
      const known = this.#blocks.get(record.id);
      if (known !== undefined) known.takeRecord(record, records);
      else this.#blocks.set(record.id, new BlockObserver(record, records, this.#deps()));
    }
  }

  #lookAtBlocks(records: readonly BlockRecord[], facts: Omit<LookFacts, 'records' | 'tags'>): Change {
    let strongest: Change = 'none';
    for (const [id, block] of this.#blocks) {
      const change = block.look({ ...facts, records, tags: this.#tags });
      if (change === 'members' || strongest === 'none') strongest = change;
      if (facts.isNet && change === 'members' && block.view !== undefined) this.#options.onNet?.(block.view);
      const status = block.view?.status;
      if (status !== 'ended' && status !== 'elsewhere') continue;
      // Nothing of it will ever live again but by another run, which writes the record.
      this.#ended.set(id, signatureOf(block.record));
      this.#blocks.delete(id);
      strongest = 'members';
    }
    return strongest;
  }

  #observe(nowMs: number): Observation {
    const blocks: WatchBlock[] = [];
    const rows = new Map<string, readonly WatchRow[]>();
    const entries = new Map<string, readonly WatchEntry[]>();
    for (const [id, observer] of this.#blocks) {
      if (observer.block === undefined) continue;
      blocks.push(observer.block);
      rows.set(id, observer.rows);
      if (observer.entries !== undefined) entries.set(id, observer.entries);
    }
    const known = this.#options.tell === undefined ? undefined : entries;
    return { atMs: nowMs, blocks: orderBlocks(blocks), rows, entries: known };
  }

  #forgetGone(): void {
    this.#details.keep(new Set([...this.#blocks.values()].flatMap(({ rows }) => rows.map(({ pid }) => pid))));
  }

  #deps(): BlockObserverDeps {
    return { ...this.#options, table: this.#table, details: this.#details };
  }
}

function signatureOf({ state, runs }: BlockRecord): string {
  const wrapper = runs.at(-1)?.wrapper;
  return `${state} ${runs.length} ${wrapper?.pid}:${wrapper?.startTicks}`;
}
