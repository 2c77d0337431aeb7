import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { openIfThere } from '../platform/busy-files.ts';
import { systemErrorCode, systemErrorWords } from './system-error.ts';

export type FileText =
  | { readonly status: 'ok'; readonly text: string }
  | { readonly status: 'missing' }
  | { readonly status: 'unreadable'; readonly reason: 'torn' | 'foreign' | 'denied'; readonly detail: string };

/** Zero where a system has no such flag. */
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0, O_NOCTTY = 0 } = fs.constants;

/**
 * Reads a regular file of ours of at most `maxBytes`. Never throws and never blocks, whatever lies under the name:
 * a link is not followed, a fifo is opened without waiting for a writer (open(2), O_NONBLOCK) and not read.
 */
export function readFileText(file: string, maxBytes: number, uid: number | undefined): FileText {
  let fd: number | undefined;
  try {
    fd = openIfThere(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  } catch (error) {
    return openFailure(error);
  }
  if (fd === undefined) return { status: 'missing' };
  try {
    return readOpen(fd, maxBytes, uid);
  } catch (error) {
    return { status: 'unreadable', reason: 'denied', detail: systemErrorWords(error) };
  } finally {
    fs.closeSync(fd);
  }
}

function openFailure(error: unknown): FileText {
  const code = systemErrorCode(error);
  if (code === 'ENOENT') return { status: 'missing' };
  if (code === 'ELOOP') return foreign('a symbolic link');
  if (code === 'ENXIO' || code === 'ENODEV') return foreign('not a regular file');
  return { status: 'unreadable', reason: 'denied', detail: systemErrorWords(error) };
}

function readOpen(fd: number, maxBytes: number, uid: number | undefined): FileText {
  const stat = fs.fstatSync(fd);
  if (stat.isDirectory()) return foreign('a directory');
  if (!stat.isFile()) return foreign('not a regular file');
  if (uid !== undefined && stat.uid !== uid && stat.uid !== 0)
    return foreign(`owned by another user (uid ${stat.uid})`);
  if (stat.size > maxBytes) return foreign(`larger than ${maxBytes} bytes`);
  // One byte more than it had tells a file that grows while it is read.
  const bytes = Buffer.allocUnsafe(stat.size + 1);
  let length = 0;
  for (;;) {
    const count = fs.readSync(fd, bytes, length, bytes.length - length, null);
    length += count;
    if (count === 0 || length === bytes.length) break;
  }
  const content = bytes.subarray(0, length);
  if (!isUtf8(content)) return { status: 'unreadable', reason: 'torn', detail: 'the file is no UTF-8 text' };
  return { status: 'ok', text: content.toString('utf8') };
}

function foreign(detail: string): FileText {
  return { status: 'unreadable', reason: 'foreign', detail };
}
