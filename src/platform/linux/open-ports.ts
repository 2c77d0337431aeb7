import type { Listener } from '../../model/process.ts';
import type { ListeningSocket } from '../platform.ts';
import { readLink } from './links.ts';
import { findListenersOf } from './net.ts';
import { readListeningSockets } from './sockets.ts';
import { listPids } from './table.ts';

/**
 * Every listening TCP socket that can be seen, with the processes that hold it: those of our own network namespace,
 * held by somebody we can see or not, and those of other namespaces that visible processes are in.
 */
export function readOpenPorts(procRoot: string): ListeningSocket[] {
  const pids = listPids(procRoot);
  const sockets = readSockets(procRoot, pids);
  // No descriptor is looked at if nothing listens: they are by far the dearest part.
  if (sockets.size === 0) return [];
  for (const pid of pids) {
    const found = findListenersOf(procRoot, pid, sockets);
    if (found !== 'denied') for (const inode of found.keys()) sockets.get(inode)?.pids.push(pid);
  }
  return [...sockets.values()];
}

interface OpenSocket extends ListeningSocket {
  readonly pids: number[];
}

function readSockets(procRoot: string, pids: readonly number[]): Map<string, OpenSocket> {
  const sockets = new Map<string, OpenSocket>();
  const add = (netRoot: string, otherNamespace: boolean): void => {
    const read = new Map<string, Listener>();
    const uids = new Map<string, number>();
    readListeningSockets(netRoot, read, uids);
    for (const [inode, socket] of read) {
      if (!sockets.has(inode)) sockets.set(inode, { ...socket, uid: uids.get(inode), otherNamespace, pids: [] });
    }
  };
  add(`${procRoot}/self/net`, false);
  const seen = new Set([readLink(`${procRoot}/self/ns/net`)]);
  for (const pid of pids) {
    const namespace = readLink(`${procRoot}/${pid}/ns/net`);
    if (namespace === undefined || seen.has(namespace)) continue;
    seen.add(namespace);
    add(`${procRoot}/${pid}/net`, true);
  }
  return sockets;
}
