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
 * told from Node's own.
 */
export function readOpenFds(procRoot = '/proc'): OpenFd[] {
  const open: OpenFd[] = [];
  for (const name of readdirSync(`${procRoot}/self/fd`)) {
    const fd = Number(name);
    if (fd < 3) continue;
    // The directory that was just listed is closed by now, and has no target.
    const target = readLink(`${procRoot}/self/fd/${name}`);
    if (target !== undefined) open.push({ fd, kind: classify(fd, target), target });
  }
  return open.sort((a, b) => a.fd - b.fd);
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
