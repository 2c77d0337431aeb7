import { readdirSync, readlinkSync } from 'node:fs';
import type { Listener } from '../../model/process.ts';
import type { ListenersResult } from '../platform.ts';
import { readLink } from './links.ts';
import { isAbsence, isRefusal } from './read-small.ts';
import { readListeningSockets } from './sockets.ts';

/**
 * Listening TCP sockets of some processes. A socket that several of them hold, as a child does that inherited it, is
 * told for each; which of them to show is for the caller to decide. Processes whose descriptors we may not see are in
 * `denied`, unless nothing listens at all.
 */
export function readListeners(procRoot: string, pids: Iterable<number>): ListenersResult {
  const byPid = new Map<number, readonly Listener[]>();
  const denied = new Set<number>();
  const wanted = [...pids];
  const sockets = readSocketsOf(procRoot, wanted);
  // No descriptor is looked at if nothing listens: they are by far the dearest part.
  if (sockets.size === 0) return { byPid, denied };
  for (const pid of wanted) {
    const found = findListenersOf(procRoot, pid, sockets);
    if (found === 'denied') denied.add(pid);
    else if (found.size > 0) byPid.set(pid, [...found.values()]);
  }
  return { byPid, denied };
}

/** The listening sockets of our own network namespace and of every other one that the processes are in, each once. */
function readSocketsOf(procRoot: string, pids: readonly number[]): Map<string, Listener> {
  const sockets = new Map<string, Listener>();
  readListeningSockets(`${procRoot}/self/net`, sockets);
  const seen = new Set([readLink(`${procRoot}/self/ns/net`)]);
  for (const pid of pids) {
    const namespace = readLink(`${procRoot}/${pid}/ns/net`);
    if (namespace === undefined || seen.has(namespace)) continue;
    seen.add(namespace);
    readListeningSockets(`${procRoot}/${pid}/net`, sockets);
  }
  return sockets;
}

/** Those of the sockets that a process holds, by inode; `denied` if its descriptors are not ours to see. */
export function findListenersOf(
  procRoot: string,
  pid: number,
  sockets: ReadonlyMap<string, Listener>,
): ReadonlyMap<string, Listener> | 'denied' {
  const found = new Map<string, Listener>();
  try {
    const directory = `${procRoot}/${pid}/fd`;
    for (const fd of readdirSync(directory)) {
      const inode = readSocketInode(`${directory}/${fd}`);
      const listener = inode === undefined ? undefined : sockets.get(inode);
      if (inode === undefined || listener === undefined) continue;
      found.set(inode, listener);
      if (found.size === sockets.size) break;
    }
  } catch (error) {
    if (isRefusal(error)) return 'denied';
    if (!isAbsence(error)) throw error;
  }
  return found;
}

/** Inode of `socket:[123]`; undefined for other files and for a descriptor that was closed meanwhile. */
function readSocketInode(path: string): string | undefined {
  try {
    const target = readlinkSync(path);
    return target.startsWith('socket:[') ? target.slice(8, -1) : undefined;
  } catch (error) {
    if (isAbsence(error) && !isRefusal(error)) return undefined;
    throw error;
  }
}
