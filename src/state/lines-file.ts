import fs from 'node:fs';
import { openFile, openIfThere } from '../platform/busy-files.ts';
import { systemErrorCode } from './system-error.ts';
import { replaceFile } from './whole-file.ts';

/** Above this a file of lines is written anew. */
export const MAX_LINES_BYTES = 1_048_576;

/** Read is the newest part only, should a file have grown beyond all measure. */
const MAX_READ_BYTES = 4 * MAX_LINES_BYTES;

const { O_WRONLY, O_RDONLY, O_APPEND, O_CREAT, O_NONBLOCK = 0, O_NOFOLLOW = 0, O_NOCTTY = 0 } = fs.constants;

/**
 * Appends lines by a single write, which O_APPEND keeps apart from those of other processes (write(2)). When the file has
 * grown large it is replaced by what `compacted` gives, oldest first; the newest are kept if they are still too many.
 * Errors are the system's.
 */
export function appendLines(file: string, lines: readonly string[], compacted: () => readonly string[]): void {
  if (lines.length === 0) return;
  // The leading line end closes a line that a killed or space-starved writer left torn.
  const bytes = Buffer.from(`\n${lines.join('\n')}\n`);
  const fd = openFile(file, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY, 0o600);
  let size: number;
  try {
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done);
    size = fs.fstatSync(fd).size;
  } finally {
    fs.closeSync(fd);
  }
  if (size > MAX_LINES_BYTES) replaceFile(file, keepNewest(compacted()));
}

/** The lines of a file, empty ones left out; an unreadable file has none. Never throws for the file's sake. */
export function readLines(file: string): string[] {
  return readNewest(file)
    .split('\n')
    .filter((text) => text !== '');
}

/** Leaves at most half the limit, so that the next compaction is far. */
function keepNewest(lines: readonly string[]): string {
  let length = 0;
  let first = lines.length;
  while (first > 0) {
    length += (lines[first - 1]?.length ?? 0) + 1;
    if (length > MAX_LINES_BYTES / 2) break;
    first--;
  }
  return lines
    .slice(first)
    .map((text) => `${text}\n`)
    .join('');
}

function readNewest(file: string): string {
  let fd: number | undefined;
  try {
    fd = openIfThere(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  } catch (error) {
    if (systemErrorCode(error) !== undefined) return '';
    throw error;
  }
  if (fd === undefined) return '';
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) return '';
    const bytes = Buffer.alloc(Math.min(stat.size, MAX_READ_BYTES));
    const start = stat.size - bytes.length;
    let length = 0;
    while (length < bytes.length) {
      const count = fs.readSync(fd, bytes, length, bytes.length - length, start + length);
      if (count === 0) break;
      length += count;
    }
    return bytes.toString('utf8', 0, length);
  } catch {
    return '';
  } finally {
    fs.closeSync(fd);
  }
}
