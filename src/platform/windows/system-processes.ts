import { i32, memory, pointer, u32, type Win32, Win32Error } from './ffi-call.ts';
import { durationToMs, fileTimeToMicros } from './file-time.ts';

/** One process of a snapshot of all. */
export interface SystemProcess {
  readonly pid: number;
  readonly ppid: number;
  /** Microseconds since 1970; 0 for those of the kernel itself. */
  readonly startedAt: number;
  /** User and kernel time, ms. */
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly threads: number;
  /** File name of the program, e.g. `node.exe`. */
  readonly image: string;
}

/**
 * Every process by one call, NtQuerySystemInformation (winternl.h) with SystemProcessInformation: also those that we may
 * not open, and without a handle for each. Throws Win32Error where the system refuses.
 */
export function readSystemProcesses(win32: Win32): SystemProcess[] {
  let size = FIRST_BYTES;
  for (;;) {
    const bytes = Buffer.alloc(size);
    const needed = Buffer.alloc(4);
    const { value: status } = win32.call(
      ...(['ntdll', 'NtQuerySystemInformation', 'U32'] as const),
      ...[i32(PROCESS_INFORMATION), memory(bytes), u32(size), memory(needed)],
    );
    if (status === 0) return parseSystemProcesses(bytes, addressOf(win32, bytes));
    if (status !== STATUS_INFO_LENGTH_MISMATCH || size >= MAX_BYTES) {
      throw new Win32Error('NtQuerySystemInformation', status);
    }
    size = Math.max(2 * size, needed.readUInt32LE(0) + SLACK_BYTES);
  }
}

/** Parses a chain of SYSTEM_PROCESS_INFORMATION (64 bit) that was read to `address`, which the names in it point to. */
export function parseSystemProcesses(bytes: Buffer, address: bigint): SystemProcess[] {
  const found: SystemProcess[] = [];
  let at = 0;
  while (at + ENTRY_BYTES <= bytes.length) {
    found.push(parseEntry(bytes, at, address));
    const next = bytes.readUInt32LE(at);
    if (next === 0) break;
    at += next;
  }
  return found;
}

const PROCESS_INFORMATION = 5;
const STATUS_INFO_LENGTH_MISMATCH = 0xc0000004;
const FIRST_BYTES = 0x80000;
const MAX_BYTES = 0x10000000;
const SLACK_BYTES = 0x8000;
/** Without its threads, which follow it. */
const ENTRY_BYTES = 256;

function parseEntry(bytes: Buffer, at: number, address: bigint): SystemProcess {
  const nameBytes = bytes.readUInt16LE(at + 56);
  const nameAt = Number(bytes.readBigUInt64LE(at + 64) - address);
  const isInside = nameAt >= 0 && nameAt + nameBytes <= bytes.length;
  return {
    pid: Number(bytes.readBigUInt64LE(at + 80)),
    ppid: Number(bytes.readBigUInt64LE(at + 88)),
    startedAt: fileTimeToMicros(bytes.readBigUInt64LE(at + 32)),
    cpuMs: durationToMs(bytes.readBigUInt64LE(at + 40) + bytes.readBigUInt64LE(at + 48)),
    rssBytes: Number(bytes.readBigUInt64LE(at + 144)),
    threads: bytes.readUInt32LE(at + 4),
    image: isInside ? bytes.toString('utf16le', nameAt, nameAt + nameBytes) : '',
  };
}

/** memcpy gives back where it wrote to; of no bytes it writes none. */
function addressOf(win32: Win32, bytes: Buffer): bigint {
  const { value } = win32.call('ntdll', 'memcpy', 'I64', memory(bytes), memory(bytes), pointer(0));
  return BigInt(value);
}
