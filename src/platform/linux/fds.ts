import { fstatSync, readdirSync } from 'node:fs';
import { readLink } from './links.ts';

export type FdKind = 'file' | 'socket' | 'tty' | 'pipe' | 'other';

/** A file descriptor of ours. */
export interface OpenFd {
  readonly fd: number;
  readonly kind: FdKind;
  /** What it is open on, as the kernel names it. */
  readonly target: string;
}

/**
 * Our descriptors from 3 up, by number. To be called at the start, before anything is opened: by then Node itself holds
 * pipes and kernel objects (`other`), but no file, socket or tty, so all of these were handed to us. Pipes cannot be
 * told from Node's own. Without procfs what each is is told by fstat(2); none where descriptors cannot be listed at all.
 */
export function readOpenFds(procRoot = '/proc', deviceRoot = '/dev'): OpenFd[] {
  const fromProcfs = listFds(`${procRoot}/self/fd`);
  const fds = fromProcfs ?? listFds(`${deviceRoot}/fd`) ?? [];
  const open = fds.flatMap((fd) => {
    // The directory that was just listed is closed by now, and has no target.
    const target = fromProcfs === undefined ? `fd ${fd}` : readLink(`${procRoot}/self/fd/${fd}`);
    const kind = target === undefined ? undefined : fromProcfs === undefined ? kindOf(fd) : classify(fd, target);
    return target === undefined || kind === undefined ? [] : [{ fd, kind, target }];
  });
  return open.sort((a, b) => a.fd - b.fd);
}

function listFds(directory: string): number[] | undefined {
  try {
    return readdirSync(directory)
      .map(Number)
      .filter((fd) => fd >= 3);
  } catch {
    return undefined;
  }
}

/** By its inode; a kernel queue of macOS shows as a pipe. Undefined if it is closed by now. */
function kindOf(fd: number): FdKind | undefined {
  try {
    const stats = fstatSync(fd);
    if (stats.isFIFO()) return 'pipe';
    if (stats.isSocket()) return 'socket';
    if (stats.isCharacterDevice()) return process.getBuiltinModule('node:tty').isatty(fd) ? 'tty' : 'file';
    return stats.isFile() || stats.isDirectory() ? 'file' : 'other';
  } catch {
    return undefined;
  }
}

/** What a descriptor is by its link (proc_pid_fd(5)): `socket:[5]`, `pipe:[6]`, `anon_inode:[eventfd]`, or a path. */
export function parseFdKind(target: string): FdKind {
  if (target.startsWith('socket:[')) return 'socket';
  if (target.startsWith('pipe:[')) return 'pipe';
  if (/^\/dev\/(pts\/\d+|tty\w*|console)$/.test(target)) return 'tty';
  return target.startsWith('/') ? 'file' : 'other';
}

/** A named pipe shows its path; for what becomes of it it is a pipe. */
function classify(fd: number, target: string): FdKind {
  const kind = parseFdKind(target);
  return kind === 'file' && isFifo(fd) ? 'pipe' : kind;
}

function isFifo(fd: number): boolean {
  try {
    return fstatSync(fd).isFIFO();
  } catch {
    return false;
  }
}
