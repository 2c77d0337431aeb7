import fs from 'node:fs';
import path from 'node:path';
import { removeQuietly, TEMP_NAME } from './whole-file.ts';

/** An hour: no writer takes so long, and clocks of machines that share a home differ by less. */
const STALE_MS = 3_600_000;

/**
 * Removes what killed writers left among the state files: unfinished files, and sibling files without a block,
 * if they have not changed for an hour. Never a block's record. Best effort, never throws.
 */
export function sweepLeftovers(directory: string, nowMs: number): void {
  let names: string[];
  try {
    names = fs.readdirSync(directory);
  } catch {
    return;
  }
  const present = new Set(names);
  for (const name of names) {
    if (!TEMP_NAME.test(name) && !isOrphan(name, present)) continue;
    const file = path.join(directory, name);
    if (isStale(file, nowMs)) removeQuietly(file);
  }
}

function isOrphan(name: string, present: ReadonlySet<string>): boolean {
  const match = /^(.+)\.(members|seen|marks|entries|kept)$/.exec(name);
  return match !== null && !present.has(`${match[1]}.json`);
}

function isStale(file: string, nowMs: number): boolean {
  try {
    const stat = fs.lstatSync(file);
    return stat.isFile() && nowMs - stat.mtimeMs > STALE_MS;
  } catch {
    return false;
  }
}
