import { memory, pointer, u32, type Win32, Win32Code, Win32Error } from './ffi-call.ts';
import { closeHandle, ProcessRight, readMemoryCounters, readTimes, withProcess } from './process-calls.ts';
import type { SystemProcess } from './system-processes.ts';

/**
 * Every process by a Toolhelp snapshot, and a handle for each, since the snapshot tells no times: what is left where the
 * system refuses the one call (system-processes.ts). Those that we may not open are left out: they would have no identity.
 */
export function readToolhelp(win32: Win32): SystemProcess[] {
  const found: SystemProcess[] = [];
  for (const entry of readSnapshot(win32)) {
    const process = withProcess(win32, entry.pid, ProcessRight.queryLimited, (handle) => ({
      ...entry,
      ...readTimes(win32, handle),
      rssBytes: readMemoryCounters(win32, handle).rssBytes,
    }));
    if (typeof process === 'object') found.push(process);
  }
  return found;
}

type SnapshotEntry = Pick<SystemProcess, 'pid' | 'ppid' | 'threads' | 'image'>;

const SNAP_PROCESS = 2;
const INVALID_HANDLE = -1;
/** PROCESSENTRY32W (tlhelp32.h), 64 bit. */
const ENTRY_BYTES = 568;

function readSnapshot(win32: Win32): SnapshotEntry[] {
  const { value: snapshot, error } = win32.call(
    ...(['kernel32', 'CreateToolhelp32Snapshot', 'I64'] as const),
    ...[u32(SNAP_PROCESS), u32(0)],
  );
  if (snapshot === INVALID_HANDLE) throw new Win32Error('CreateToolhelp32Snapshot', error);
  try {
    const entry = Buffer.alloc(ENTRY_BYTES);
    entry.writeUInt32LE(ENTRY_BYTES, 0);
    const found: SnapshotEntry[] = [];
    for (let name = 'Process32FirstW'; ; name = 'Process32NextW') {
      const answer = win32.call('kernel32', name, 'I32', pointer(snapshot), memory(entry));
      if (answer.value === 0 && answer.error === Win32Code.noMoreFiles) return found;
      if (answer.value === 0) throw new Win32Error(name, answer.error);
      found.push(parseEntry(entry));
    }
  } finally {
    closeHandle(win32, snapshot);
  }
}

function parseEntry(entry: Buffer): SnapshotEntry {
  const name = entry.toString('utf16le', 44, 564);
  const end = name.indexOf('\0');
  return {
    pid: entry.readUInt32LE(8),
    ppid: entry.readUInt32LE(32),
    threads: entry.readUInt32LE(28),
    image: end === -1 ? name : name.slice(0, end),
  };
}
