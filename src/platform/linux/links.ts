import { readlinkSync } from 'node:fs';
import { isAbsence } from './read-small.ts';

/** Path of the executable, with a trailing ` (deleted)` where it is; undefined if unreadable. */
export function readExe(procRoot: string, pid: number): string | undefined {
  return readLink(`${procRoot}/${pid}/exe`);
}

/** Working directory of a process; undefined if unreadable. */
export function readCwd(procRoot: string, pid: number): string | undefined {
  return readLink(`${procRoot}/${pid}/cwd`);
}

/** Target of a link; undefined if it is not there or not ours to see. */
export function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Inode of a namespace by its link, e.g. `4026531836` of `pid:[4026531836]`; undefined if it is no such link. */
export function parseNamespaceInode(link: string): string | undefined {
  return /^\w+:\[(\d+)\]$/.exec(link)?.[1];
}
