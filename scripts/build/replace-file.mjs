import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Replaces a file whole, so that a program started meanwhile reads the old or the new one; leaves an equal file alone.
 * @param {string} path
 * @param {string | Uint8Array} contents
 */
export function replaceFile(path, contents) {
  if (isEqual(path, contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const sibling = `${path}.${process.pid}.tmp`;
  writeFileSync(sibling, contents);
  renameSync(sibling, path);
}

function isEqual(path, contents) {
  try {
    return readFileSync(path).equals(Buffer.from(contents));
  } catch {
    return false;
  }
}
