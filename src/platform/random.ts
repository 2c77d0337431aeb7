import { closeSync, openSync, readSync } from 'node:fs';

/** Random bytes of the system; at most 256. node:crypto would cost a start 5 %, so it serves where there is no urandom(4). */
export function readRandom(count: number): Buffer {
  if (process.platform === 'win32') return process.getBuiltinModule('node:crypto').randomBytes(count);
  const bytes = Buffer.alloc(count);
  const fd = openSync('/dev/urandom', 'r');
  try {
    // Up to 256 bytes come whole.
    if (readSync(fd, bytes, 0, count, null) !== count) throw new Error('internal: /dev/urandom gave too few bytes');
  } finally {
    closeSync(fd);
  }
  return bytes;
}
