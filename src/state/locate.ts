import fs from 'node:fs';
import path from 'node:path';
import { AgentmuxError } from '../errors.ts';
import { checkDirectory, type DirectoryAccess } from './directory.ts';
import { resolveStateDirectory, type StateDirectoryOptions } from './paths.ts';

/** Where the state files are. */
export interface StatePlace {
  readonly directory: string;
  /** Why it is not where it would be, one sentence; undefined if it is. */
  readonly note: string | undefined;
}

export interface LocateOptions extends StateDirectoryOptions {
  /** Effective user id; undefined where the system has none. */
  readonly uid: number | undefined;
  /** A directory where everybody may make one of their own. */
  readonly temporary: string;
}

/**
 * The state directory, or where it cannot be used (a missing home, a directory of another user, no permission) one of our own below the temporary directory: the same for every command of this user, so that what
 * runs can still be listed and ended. A directory that AGENTMUX_STATE_DIR names is never replaced.
 * Throws as resolveStateDirectory does where nothing can take its place.
 */
export function locateStateDirectory(options: LocateOptions): StatePlace {
  const { env, uid, temporary } = options;
  const isChosen = env['AGENTMUX_STATE_DIR'] !== undefined && env['AGENTMUX_STATE_DIR'] !== '';
  if (isChosen || uid === undefined) return { directory: resolveStateDirectory(options), note: undefined };
  try {
    const directory = resolveStateDirectory(options);
    mustBeUsable(directory, options);
    return { directory, note: undefined };
  } catch (error) {
    if (!(error instanceof AgentmuxError)) throw error;
    const directory = path.join(temporary, `agentmux-${uid}`);
    return { directory, note: `${error.message}: state is kept in "${directory}"` };
  }
}

/** Throws AgentmuxError if the directory is not to be used, and could not be made. */
function mustBeUsable(directory: string, access: DirectoryAccess): void {
  // One that is there and cannot be written to may still hold the records of blocks.
  if (checkDirectory(directory, access)) return;
  const parent = nearestExisting(directory);
  if (parent === undefined || !isWritable(parent)) throw unusable(directory, 'it is missing and cannot be made');
}

/** The directory above that is there, at most three levels up: what lies higher is not ours to make. */
function nearestExisting(directory: string): string | undefined {
  let parent = directory;
  for (let level = 0; level < 3; level += 1) {
    parent = path.dirname(parent);
    if (fs.existsSync(parent)) return parent;
  }
  return undefined;
}

function isWritable(directory: string): boolean {
  try {
    fs.accessSync(directory, fs.constants.W_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function unusable(directory: string, why: string): AgentmuxError {
  return new AgentmuxError('failed', `cannot use the state directory "${directory}": ${why}`, {
    code: 'state-unwritable',
  });
}
