import fs from 'node:fs';
import path from 'node:path';
import { renameOver, unlinkFile } from '../platform/busy-files.ts';
import { systemErrorCode } from './system-error.ts';

/** Names of unfinished files: hidden, and never a block's, since ids do not start with a dot. */
export const TEMP_NAME = /^\.[A-Za-z0-9._-]+\.[0-9a-f]{16}\.tmp$/;

/**
 * Replaces a file so that a reader sees the old or the new text whole: a unique sibling, written and synced, renamed
 * over it (rename(2) is atomic). On any failure the old file is untouched and the sibling gone; the error is the system's.
 * What means nothing after a loss of power need not wait for the disk: `sync` false.
 */
export function replaceFile(file: string, text: string, sync = true): void {
  withSibling(file, text, sync, (sibling) => renameOver(sibling, file));
  if (sync) syncDirectory(path.dirname(file));
}

/**
 * Creates a file that nobody ever sees half written; false if the name is taken. Not synced: after a loss of power
 * nothing that it names lives, and a synced disk would delay the agent's start.
 */
export function createFile(file: string, text: string): boolean {
  return withSibling(file, text, false, (sibling) => {
    try {
      fs.linkSync(sibling, file);
      return true;
    } catch (error) {
      if (systemErrorCode(error) === 'EEXIST') return false;
      return claimName(file) && takeClaimed(sibling, file);
    }
  });
}

/** The way of file systems without hard links (FAT, some network and container mounts): for a moment it is empty. */
function claimName(file: string): boolean {
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function takeClaimed(sibling: string, file: string): true {
  try {
    renameOver(sibling, file);
    return true;
  } catch (error) {
    removeQuietly(file);
    throw error;
  }
}

function withSibling<T>(file: string, text: string, sync: boolean, use: (sibling: string) => T): T {
  const sibling = path.join(path.dirname(file), `.${path.basename(file)}.${randomHex()}.tmp`);
  try {
    writeNew(sibling, text, sync);
    return use(sibling);
  } finally {
    removeQuietly(sibling);
  }
}

/** Unique is enough, since the file is opened exclusively; node:crypto would cost its loading on every start. */
function randomHex(): string {
  return Array.from({ length: 4 }, () =>
    Math.floor(Math.random() * 0x10000)
      .toString(16)
      .padStart(4, '0'),
  ).join('');
}

function writeNew(file: string, text: string, sync: boolean): void {
  const fd = fs.openSync(file, 'wx', 0o600);
  try {
    // A umask may have cut the mode.
    fs.fchmodSync(fd, 0o600);
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done);
    if (sync) fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Best effort: some file systems refuse to sync a directory, Windows to open one. */
function syncDirectory(directory: string): void {
  try {
    const fd = fs.openSync(directory, 'r');
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    // The new name is in place; only its survival of a loss of power is uncertain.
  }
}

/** Removes a file if it is there; what cannot be removed is left to the next sweep. */
export function removeQuietly(file: string): void {
  try {
    unlinkFile(file);
  } catch {
    // Gone already, or not removable: nothing depends on it.
  }
}

/** Removes a file; that there is none is well. Errors are the system's. */
export function removeFile(file: string): void {
  try {
    unlinkFile(file);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
}
