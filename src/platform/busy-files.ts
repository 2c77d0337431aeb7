import { existsSync, lstatSync, openSync, renameSync, unlinkSync } from 'node:fs';

/**
 * Renames over an existing file. Windows refuses while somebody has either open without leave, as virus scanners and
 * indexers do with every new file for a moment: there it is tried again for up to half a second. Errors are the system's.
 */
export function renameOver(from: string, to: string): void {
  retryWhileBusy(() => renameSync(from, to));
}

/** Removes a file, with the same patience. */
export function unlinkFile(file: string): void {
  retryWhileBusy(() => unlinkSync(file));
}

/** Opens a file, with the same patience: while it is replaced it is nobody's for a moment. */
export function openFile(file: string, flags: number, mode?: number): number {
  return retryWhileBusy(() => openSync(file, flags, mode));
}

/**
 * As openFile; undefined if there is nothing of that name. Most of the files that a block may have are not there, and a
 * look that finds none is far cheaper than an open that throws.
 */
export function openIfThere(file: string, flags: number): number | undefined {
  return isNothingThere(file) ? undefined : openFile(file, flags);
}

function isNothingThere(file: string): boolean {
  try {
    // A link to nothing is something.
    return !existsSync(file) && lstatSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** What Windows says of a file that is open elsewhere. */
const BUSY: ReadonlySet<unknown> = new Set(['EPERM', 'EACCES', 'EBUSY']);
const FIRST_PAUSE_MS = 1;
const PATIENCE_MS = 500;

/** Runs `action`, again with growing pauses where it failed since a file is open elsewhere. Elsewhere than on Windows once. */
export function retryWhileBusy<T>(action: () => T, isWindows = process.platform === 'win32'): T {
  let waited = 0;
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    try {
      return action();
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && BUSY.has(error.code);
      if (!isWindows || !isBusy || waited >= PATIENCE_MS) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    waited += pause;
  }
}
