import fs from 'node:fs';
import path from 'node:path';
import { AgentmuxError } from '../errors.ts';
import type { DirectoryGuard } from '../platform/platform.ts';
import { describeFailure, systemErrorCode } from './system-error.ts';

/** `~/.local/state/agentmux` is three levels below a home; what lies above is not ours to make (a missing home). */
const MAX_NEW_LEVELS = 3;

const OTHERS_MAY_WRITE = 0o022;

/** By what it is known whose a directory is. */
export interface DirectoryAccess {
  /** Effective user id; undefined where the system has none. */
  readonly uid: number | undefined;
  /** Where an access list tells it (Platform.directories). */
  readonly guard?: DirectoryGuard | undefined;
}

/**
 * True if the directory is there and to be trusted, false if it is missing. Throws AgentmuxError: `refused` with code `state-untrusted` if another user owns it or may write to it
 * (also through a symbolic link), `state-unwritable` if it cannot be looked at or is no directory.
 */
export function checkDirectory(directory: string, { uid, guard }: DirectoryAccess): boolean {
  return describeFailure('use the state directory', directory, () => {
    const link = statIfThere(fs.lstatSync, directory);
    if (link === undefined) return false;
    if (uid !== undefined && link.isSymbolicLink() && link.uid !== uid && link.uid !== 0) {
      throw untrusted(directory, `is a symbolic link of another user (uid ${link.uid})`);
    }
    const target = link.isSymbolicLink() ? statIfThere(fs.statSync, directory) : link;
    if (target === undefined) return false;
    if (!target.isDirectory()) throw notDirectory(directory);
    const fault = guard?.findFault(directory);
    if (fault !== undefined) throw untrusted(directory, fault.why, fault.hint);
    if (uid === undefined) return true;
    if (target.uid !== uid) throw untrusted(directory, `belongs to another user (uid ${target.uid})`);
    if ((target.mode & OTHERS_MAY_WRITE) !== 0) {
      throw untrusted(directory, 'can be written to by other users', `chmod go-w "${directory}"`);
    }
    return true;
  });
}

/**
 * Makes the directory, ours alone, with at most two missing ones above it, if it is not there, and checks it.
 * Throws as checkDirectory does.
 */
export function ensureDirectory(directory: string, access: DirectoryAccess): void {
  if (checkDirectory(directory, access)) return;
  describeFailure('create the state directory', directory, () => {
    const missing = [directory];
    let parent = path.dirname(directory);
    while (missing.length < MAX_NEW_LEVELS && statIfThere(fs.statSync, parent) === undefined) {
      missing.unshift(parent);
      parent = path.dirname(parent);
    }
    for (const level of missing) makeDirectory(level, access.guard);
  });
  if (!checkDirectory(directory, access)) {
    throw new AgentmuxError('failed', `cannot create the state directory "${directory}": a link leads nowhere`, {
      code: 'state-unwritable',
    });
  }
}

/** Another process may make it at the same time. The mode is set again, since a umask may have cut it. */
function makeDirectory(directory: string, guard: DirectoryGuard | undefined): void {
  if (guard !== undefined) return void guard.make(directory);
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return;
    throw error;
  }
  fs.chmodSync(directory, 0o700);
}

function statIfThere(stat: (path: string) => fs.Stats, file: string): fs.Stats | undefined {
  try {
    return stat(file);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function untrusted(
  directory: string,
  why: string,
  hint: string | undefined = 'set AGENTMUX_STATE_DIR to a directory of yours',
): AgentmuxError {
  return new AgentmuxError('refused', `the state directory "${directory}" ${why}`, {
    hint,
    code: 'state-untrusted',
  });
}

function notDirectory(directory: string): AgentmuxError {
  return new AgentmuxError('failed', `cannot use the state directory "${directory}": not a directory`, {
    hint: 'move the file away, or set AGENTMUX_STATE_DIR to a directory of yours',
    code: 'state-unwritable',
  });
}
