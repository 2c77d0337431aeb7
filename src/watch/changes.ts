import type { WatchBlock, WatchEntry, WatchRow } from '../render/screen-types.ts';
import { flattenRows } from './flat-rows.ts';
import { type Observation, rowKey } from './observation.ts';

/** What was other at one look than at the one before. */
export type Change =
  | { readonly type: 'block-added' | 'block-changed' | 'block-ended'; readonly block: WatchBlock }
  | { readonly type: 'process-added' | 'process-exited'; readonly row: WatchRow }
  | {
      readonly type: 'entry-added' | 'entry-changed' | 'entry-exited';
      readonly blockId: string;
      readonly entry: WatchEntry;
    };

/**
 * Finds changes from look to look. A process is told once when it is first listed and once when it has gone, whatever it
 * was to its block between; what came and went between two looks was never there.
 */
export class ChangeFinder {
  readonly #all: boolean;
  readonly #blocks = new Map<string, WatchBlock>();
  readonly #rows = new Map<string, WatchRow>();
  readonly #entries = new Map<string, { readonly blockId: string; readonly entry: WatchEntry }>();

  /** With `all` every member is told, else what agents started. */
  constructor(all: boolean) {
    this.#all = all;
  }

  /** Blocks come before what is in them, and end after it. */
  next(observation: Observation): Change[] {
    const ids = new Set(observation.blocks.map(({ id }) => id));
    const ended = [...this.#blocks.values()].filter(({ id }) => !ids.has(id));
    const changes = [
      ...observation.blocks.flatMap((block) => this.#compareBlock(block)),
      ...this.#compareRows(observation),
      ...this.#compareEntries(observation),
      ...ended.map((block): Change => ({ type: 'block-ended', block: { ...block, status: 'ended' } })),
    ];
    for (const { id } of ended) this.#blocks.delete(id);
    return changes;
  }

  #compareBlock(block: WatchBlock): Change[] {
    const before = this.#blocks.get(block.id);
    this.#blocks.set(block.id, block);
    if (before === undefined) return [{ type: 'block-added', block }];
    const isSame =
      before.status === block.status && before.frozen === block.frozen && startOf(before) === startOf(block);
    return isSame ? [] : [{ type: 'block-changed', block }];
  }

  #compareRows(observation: Observation): Change[] {
    const listed = flattenRows(observation, this.#all);
    const live = new Set([...observation.rows.values()].flatMap((rows) => rows.map(rowKey)));
    const exited = [...this.#rows].filter(([key]) => !live.has(key));
    for (const [key] of exited) this.#rows.delete(key);
    const added = listed.filter((row) => !this.#rows.has(rowKey(row)));
    for (const row of listed) this.#rows.set(rowKey(row), row);
    return [
      ...exited.map(([, row]): Change => ({ type: 'process-exited', row })),
      ...added.map((row): Change => ({ type: 'process-added', row })),
    ];
  }

  #compareEntries({ entries, atMs }: Observation): Change[] {
    const changes = this.#findExited(entries, atMs);
    for (const [blockId, list] of entries ?? []) {
      for (const entry of list) {
        const key = `${blockId} ${entry.id}`;
        const before = this.#entries.get(key)?.entry;
        this.#entries.set(key, { blockId, entry });
        const type = typeOf(before, entry);
        if (type !== undefined) changes.push({ type, blockId, entry });
      }
    }
    return changes;
  }

  #findExited(entries: Observation['entries'], atMs: number): Change[] {
    const changes: Change[] = [];
    for (const [key, { blockId, entry }] of this.#entries) {
      if (entries?.get(blockId)?.some(({ id }) => id === entry.id) === true) continue;
      this.#entries.delete(key);
      const ended = { ...entry, status: 'exited', endedAtMs: entry.endedAtMs ?? atMs, ports: [], pids: [] } as const;
      changes.push({ type: 'entry-exited', blockId, entry: ended });
    }
    return changes;
  }
}

function startOf({ startedAtMs }: WatchBlock): number {
  return startedAtMs;
}

function typeOf(before: WatchEntry | undefined, now: WatchEntry): 'entry-added' | 'entry-changed' | undefined {
  if (before === undefined) return 'entry-added';
  const isSame = before.pid === now.pid && before.ports.join() === now.ports.join() && before.command === now.command;
  return isSame ? undefined : 'entry-changed';
}
