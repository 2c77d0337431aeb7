import { AgentmuxError } from '../../errors.ts';
import type { Listener } from '../../model/process.ts';
import { formatAddress } from '../format-address.ts';
import type { ListenersResult, ListeningSocket } from '../platform.ts';
import { i32, memory, u32, type Win32, Win32Code, Win32Error } from './ffi-call.ts';

/** A listening socket and the process that owns it; pid 0 where the system does not tell. */
export interface OwnedListener extends Listener {
  readonly pid: number;
}

/** Listening TCP sockets, v4 and v6, by GetExtendedTcpTable; none of v6 where the system has none. Throws Win32Error. */
function readTcpListeners(win32: Win32): OwnedListener[] {
  return (['tcp', 'tcp6'] as const).flatMap((protocol) => {
    const table = readTcpTable(win32, protocol);
    return table === undefined ? [] : parseTcpTable(table, protocol);
  });
}

/** Every listening socket once, with all its owners. Windows tells no user, and has no network namespaces. */
function toOpenPorts(listeners: readonly OwnedListener[]): ListeningSocket[] {
  const sockets = new Map<string, ListeningSocket & { readonly pids: number[] }>();
  for (const { protocol, address, port, pid } of listeners) {
    const key = `${protocol} ${address} ${port}`;
    const socket = sockets.get(key) ?? { protocol, address, port, uid: undefined, otherNamespace: false, pids: [] };
    if (pid !== 0 && !socket.pids.includes(pid)) socket.pids.push(pid);
    sockets.set(key, socket);
  }
  return [...sockets.values()];
}

/** Listeners of these pids. Of none it is known what it listens on where the tables cannot be read. */
export function readListeners(win32: Win32, pids: Iterable<number>): ListenersResult {
  try {
    return { byPid: groupByPid(readTcpListeners(win32), pids), denied: new Set() };
  } catch (error) {
    if (!(error instanceof Win32Error)) throw error;
    return { byPid: new Map(), denied: new Set(pids) };
  }
}

/** Every listening socket. Throws AgentmuxError `no-port-table` where they cannot be read. */
export function readOpenPorts(win32: Win32): ListeningSocket[] {
  try {
    return toOpenPorts(readTcpListeners(win32));
  } catch (cause) {
    if (!(cause instanceof Win32Error)) throw cause;
    throw new AgentmuxError('failed', `cannot read listening ports: ${cause.message}`, {
      code: 'no-port-table',
      cause,
    });
  }
}

function groupByPid(listeners: readonly OwnedListener[], pids: Iterable<number>): Map<number, Listener[]> {
  const wanted = new Set(pids);
  const byPid = new Map<number, Listener[]>();
  for (const { pid, ...listener } of listeners) {
    if (!wanted.has(pid)) continue;
    byPid.set(pid, [...(byPid.get(pid) ?? []), listener]);
  }
  return byPid;
}

/** Parses MIB_TCPTABLE_OWNER_PID or MIB_TCP6TABLE_OWNER_PID (tcpmib.h): only what listens. A table that is cut ends there. */
export function parseTcpTable(table: Buffer, protocol: Listener['protocol']): OwnedListener[] {
  const row = ROWS[protocol];
  const listeners: OwnedListener[] = [];
  const count = table.readUInt32LE(0);
  for (let index = 0; index < count; index += 1) {
    const at = 4 + row.bytes * index;
    if (at + row.bytes > table.length) break;
    if (table.readUInt32LE(at + row.state) !== STATE_LISTEN) continue;
    listeners.push({
      protocol,
      address: formatAddress(table.subarray(at + row.address, at + row.address + row.addressBytes)),
      // In network order, in the low half of a DWORD.
      port: table.readUInt16BE(at + row.port),
      pid: table.readUInt32LE(at + row.pid),
    });
  }
  return listeners;
}

const ROWS = {
  tcp: { bytes: 24, state: 0, address: 4, addressBytes: 4, port: 8, pid: 20 },
  tcp6: { bytes: 56, state: 48, address: 0, addressBytes: 16, port: 20, pid: 52 },
} as const;
const FAMILIES = { tcp: 2, tcp6: 23 } as const;
/** TCP_TABLE_OWNER_PID_LISTENER (iprtrmib.h). */
const OWNER_PID_LISTENER = 3;
const STATE_LISTEN = 2;
const MAX_BYTES = 0x4000000;

function readTcpTable(win32: Win32, protocol: Listener['protocol']): Buffer | undefined {
  const size = Buffer.alloc(4);
  for (let bytes = 0x2000; bytes <= MAX_BYTES; bytes = Math.max(2 * bytes, size.readUInt32LE(0))) {
    const table = Buffer.alloc(bytes);
    size.writeUInt32LE(bytes);
    const { value: error } = win32.call(
      ...(['iphlpapi', 'GetExtendedTcpTable', 'U32'] as const),
      ...[memory(table), memory(size), i32(0), u32(FAMILIES[protocol]), i32(OWNER_PID_LISTENER), u32(0)],
    );
    if (error === 0) return table;
    if (error === Win32Code.notSupported && protocol === 'tcp6') return undefined;
    if (error !== Win32Code.insufficientBuffer) throw new Win32Error('GetExtendedTcpTable', error);
  }
  throw new Win32Error('GetExtendedTcpTable', Win32Code.insufficientBuffer);
}
