import { closeSync, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs';
import type { ProgramFiles } from './locate-program.ts';

/** The file system as a search for programs looks at it. */
export const programFiles: ProgramFiles = {
  kindOf(file) {
    try {
      return statSync(file).isDirectory() ? 'directory' : 'file';
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    }
    // An alias of an application from the store can be started and not be followed.
    try {
      return lstatSync(file).isDirectory() ? 'directory' : 'file';
    } catch {
      return undefined;
    }
  },
  readText: (file) => readStart(file, mostText, true)?.toString('utf8'),
  readHead: (file) => readStart(file, headBytes, false) ?? Buffer.alloc(0),
};

/** No shim is longer. */
const mostText = 65_536;
const headBytes = 256;

function readStart(file: string, most: number, isWhole: boolean): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    return undefined;
  }
  try {
    if (isWhole && fstatSync(fd).size > most) return undefined;
    const bytes = Buffer.alloc(most);
    return bytes.subarray(0, readSync(fd, bytes, 0, most, 0));
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}
