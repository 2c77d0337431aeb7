import { i32, memory, nullPointer, pointer, u32, type Win32, Win32Code, Win32Error } from './ffi-call.ts';
import { durationToMs, fileTimeToMicros } from './file-time.ts';

/**
 * One wrapper per call on a process, each checking its result. Handles are plain numbers, opened and closed by
 * withProcess. Layouts are those of 64-bit systems.
 */

/** Rights to a process (processthreadsapi.h, "Process Security and Access Rights"). */
export const ProcessRight = {
  terminate: 0x1,
  readMemory: 0x10,
  query: 0x400,
  /** Enough for times, image and exit, also of most processes of other users and of protected ones. */
  queryLimited: 0x1000,
  synchronize: 0x100000,
} as const;

/** Why a process cannot be opened. */
export type OpenFailure = 'gone' | 'denied';

/** A handle to a process, to be closed. Gives `gone` where there is no such pid, `denied` where we may not. */
export function openProcess(win32: Win32, pid: number, rights: number): number | OpenFailure {
  const { value: handle, error } = win32.call('kernel32', 'OpenProcess', 'I64', u32(rights), i32(0), u32(pid));
  if (handle !== 0) return handle;
  // For a pid that nobody has the error is that of a wrong parameter.
  return error === Win32Code.invalidParameter ? 'gone' : 'denied';
}

/** Opens a process, hands its handle to `use` and closes it again. */
export function withProcess<T>(win32: Win32, pid: number, rights: number, use: (handle: number) => T): T | OpenFailure {
  const handle = openProcess(win32, pid, rights);
  if (typeof handle !== 'number') return handle;
  try {
    return use(handle);
  } finally {
    closeHandle(win32, handle);
  }
}

/** Closes a handle; one that cannot be closed is a bug that nobody could mend here. */
export function closeHandle(win32: Win32, handle: number): void {
  win32.call('kernel32', 'CloseHandle', 'I32', pointer(handle));
}

export interface ProcessTimes {
  /** Microseconds since 1970. */
  readonly startedAt: number;
  /** User and kernel time, ms. */
  readonly cpuMs: number;
}

/** GetProcessTimes. Needs `queryLimited`. */
export function readTimes(win32: Win32, handle: number): ProcessTimes {
  const times = Buffer.alloc(32);
  const at = (offset: number) => memory(times.subarray(offset, offset + 8));
  check(
    'GetProcessTimes',
    win32.call('kernel32', 'GetProcessTimes', 'I32', pointer(handle), at(0), at(8), at(16), at(24)),
  );
  return {
    startedAt: fileTimeToMicros(times.readBigUInt64LE(0)),
    cpuMs: durationToMs(times.readBigUInt64LE(16) + times.readBigUInt64LE(24)),
  };
}

/**
 * False for a process that has ended, though its object lives on while somebody holds a handle to it. By its signalled
 * state, since an exit code may be any number, STILL_ACTIVE too. Needs `synchronize`.
 */
export function isRunning(win32: Win32, handle: number): boolean {
  const { value, error } = win32.call('kernel32', 'WaitForSingleObject', 'U32', pointer(handle), u32(0));
  if (value === WAIT_FAILED) throw new Win32Error('WaitForSingleObject', error);
  return value === WAIT_TIMEOUT;
}

export interface ProcessMemory {
  /** Working set, bytes. */
  readonly rssBytes: number;
  /** What it alone has committed, bytes. */
  readonly privateBytes: number;
}

/** GetProcessMemoryInfo. Needs `queryLimited`. */
export function readMemoryCounters(win32: Win32, handle: number): ProcessMemory {
  const counters = Buffer.alloc(MEMORY_COUNTERS_BYTES);
  counters.writeUInt32LE(MEMORY_COUNTERS_BYTES, 0);
  check(
    'K32GetProcessMemoryInfo',
    win32.call(
      ...(['kernel32', 'K32GetProcessMemoryInfo', 'I32'] as const),
      ...[pointer(handle), memory(counters), u32(MEMORY_COUNTERS_BYTES)],
    ),
  );
  return {
    rssBytes: Number(counters.readBigUInt64LE(16)),
    // The same number twice; Windows 7 leaves out the first, Wine the second.
    privateBytes: Math.max(Number(counters.readBigUInt64LE(56)), Number(counters.readBigUInt64LE(72))),
  };
}

/** QueryFullProcessImageNameW: the path of the program as Windows writes it. Needs `queryLimited`. */
export function readImagePath(win32: Win32, handle: number): string {
  const name = Buffer.alloc(2 * MAX_PATH_UNITS);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(MAX_PATH_UNITS);
  check(
    'QueryFullProcessImageNameW',
    win32.call(
      ...(['kernel32', 'QueryFullProcessImageNameW', 'I32'] as const),
      ...[pointer(handle), u32(0), memory(name), memory(length)],
    ),
  );
  return name.toString('utf16le', 0, 2 * length.readUInt32LE(0));
}

/** NtQueryInformationProcess into `into`; the status of the call, 0 for success. */
export function queryProcess(win32: Win32, handle: number, informationClass: number, into: Buffer): number {
  return win32.call(
    ...(['ntdll', 'NtQueryInformationProcess', 'U32'] as const),
    ...[pointer(handle), i32(informationClass), memory(into), u32(into.length), nullPointer],
  ).value;
}

/** Pid of the process that made it, which may have ended and its pid been given away since. Needs `queryLimited`. */
export function readParentPid(win32: Win32, handle: number): number {
  const basic = Buffer.alloc(48);
  const status = queryProcess(win32, handle, BASIC_INFORMATION, basic);
  if (status !== 0) throw new Win32Error('NtQueryInformationProcess', status);
  return Number(basic.readBigUInt64LE(40));
}

/** Reads memory of another process; undefined if not all of it is there. Needs `readMemory`. */
export function readProcessMemory(win32: Win32, handle: number, address: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  const count = Buffer.alloc(8);
  const { value } = win32.call(
    ...(['kernel32', 'ReadProcessMemory', 'I32'] as const),
    ...[pointer(handle), pointer(address), memory(bytes), pointer(length), memory(count)],
  );
  return value !== 0 && Number(count.readBigUInt64LE(0)) === length ? bytes : undefined;
}

/** TerminateProcess: it ends at once, without a word. Gives the error, 0 for success. Needs `terminate`. */
export function terminateProcess(win32: Win32, handle: number, exitCode: number): number {
  const { value, error } = win32.call('kernel32', 'TerminateProcess', 'I32', ...[pointer(handle), u32(exitCode)]);
  return value !== 0 ? 0 : error;
}

const WAIT_TIMEOUT = 258;
const WAIT_FAILED = 0xffffffff;
/** PROCESS_MEMORY_COUNTERS_EX (psapi.h). */
const MEMORY_COUNTERS_BYTES = 80;
const MAX_PATH_UNITS = 32_768;
const BASIC_INFORMATION = 0;

function check(call: string, { value, error }: { readonly value: number; readonly error: number }): void {
  if (value === 0) throw new Win32Error(call, error);
}
