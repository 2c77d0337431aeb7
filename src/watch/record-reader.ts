import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { BlockListing, Store } from '../state/store.ts';

/** Reads the records again only when a file of theirs was replaced, made or removed. */
export class RecordReader {
  readonly #store: Pick<Store, 'directory' | 'list'>;
  readonly #now: () => number;
  #seen: string | undefined;
  #listing: BlockListing = { blocks: [], unreadable: [] };

  constructor(store: Pick<Store, 'directory' | 'list'>, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** The records, and whether they are others than the last time. */
  read(): { readonly listing: BlockListing; readonly isNew: boolean } {
    const stamp = this.#stamp();
    if (stamp !== undefined && stamp === this.#seen) return { listing: this.#listing, isNew: false };
    this.#seen = stamp;
    this.#listing = this.#store.list();
    return { listing: this.#listing, isNew: true };
  }

  /**
   * Every file is replaced by a rename, which the time of the directory tells. Undefined while that time is so young that
   * a second change could bear the same.
   */
  #stamp(): string | undefined {
    try {
      const { mtimeNs, mtimeMs, ino } = statSync(join(this.#store.directory, 'blocks'), { bigint: true });
      return Math.abs(this.#now() - Number(mtimeMs)) < YOUNG_MS ? undefined : `${ino}:${mtimeNs}`;
    } catch {
      return 'none';
    }
  }
}

const YOUNG_MS = 100;
