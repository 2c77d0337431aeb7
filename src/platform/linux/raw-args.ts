import { isUtf8 } from 'node:buffer';
import { readSmall } from './read-small.ts';

/** An argument or environment entry as the kernel handed it over. */
export interface RawEntry {
  readonly bytes: Buffer;
  /** The bytes decoded as UTF-8, as Node shows them. */
  readonly text: string;
  /** False if they are no valid UTF-8: then `text` does not give them back. */
  readonly exact: boolean;
}

/** How we were called, to the byte. */
export interface RawSelf {
  /** All of our argument vector, the interpreter and its own arguments included: ours are the last. */
  readonly argv: readonly RawEntry[];
  /** `NAME=value`, as at our start. */
  readonly environment: readonly RawEntry[];
}

/**
 * Our argument vector and environment to the byte, which Node decodes with losses. To be called at the start, before a
 * process title is set; undefined if procfs does not tell.
 */
export function readRawSelf(procRoot = '/proc'): RawSelf | undefined {
  const argv = readEntries(`${procRoot}/self/cmdline`);
  const environment = readEntries(`${procRoot}/self/environ`);
  return argv && environment && { argv, environment };
}

/** Parses entries that each end with a NUL; a last one without is kept as well. */
export function parseEntries(bytes: Buffer): RawEntry[] {
  const entries: RawEntry[] = [];
  // One copy for all: the buffer that was read into is used again.
  const copy = Buffer.from(bytes);
  let from = 0;
  while (from < copy.length) {
    const nul = copy.indexOf(0, from);
    const end = nul === -1 ? copy.length : nul;
    entries.push(new Entry(copy.subarray(from, end)));
    from = end + 1;
  }
  return entries;
}

function readEntries(path: string): RawEntry[] | undefined {
  const bytes = readSmall(path);
  return bytes && parseEntries(bytes);
}

/** Decoded when asked: there may be hundreds, and every start reads them. */
class Entry implements RawEntry {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get text(): string {
    return this.bytes.toString('utf8');
  }

  get exact(): boolean {
    return isUtf8(this.bytes);
  }
}
