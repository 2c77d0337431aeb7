import { i32, memory, pointer, u32, win32 } from '../../../src/platform/windows/ffi-call.ts';
import { closeHandle } from '../../../src/platform/windows/process-calls.ts';

/** A handle that some process has to a job of that name. */
export interface JobHandle {
  readonly value: number;
  /** Rights that it gives. */
  readonly access: number;
}

/**
 * Handles of a process to the named job, found by copying each handle that it may have and asking for the name of its
 * object; the last part of the name counts, whatever the namespace.
 */
export function findJobHandles(pid: number, name: string): JobHandle[] {
  const process = win32.call('kernel32', 'OpenProcess', 'I64', u32(DUP_HANDLE), i32(0), u32(pid)).value;
  if (process === 0) throw new Error(`process ${pid} cannot be opened`);
  const last = name.slice(name.indexOf('\\') + 1);
  const found: JobHandle[] = [];
  for (let value = 4; value <= HIGHEST; value += 4) {
    const copy = Buffer.alloc(8);
    const into = [pointer(-1), memory(copy), u32(0), i32(0), u32(SAME_ACCESS)] as const;
    if (win32.call('kernel32', 'DuplicateHandle', 'I32', pointer(process), pointer(value), ...into).value === 0)
      continue;
    const own = Number(copy.readBigInt64LE(0));
    if (readName(own).endsWith(`\\${last}`)) found.push({ value, access: readAccess(own) });
    closeHandle(win32, own);
  }
  closeHandle(win32, process);
  return found;
}

const DUP_HANDLE = 0x40;
const SAME_ACCESS = 2;
const HIGHEST = 0x800;
/** OBJECT_INFORMATION_CLASS. */
const BASIC = 0;
const NAME = 1;

/** UNICODE_STRING, its text behind it in the same memory. */
function readName(handle: number): string {
  const info = query(handle, NAME, 1024);
  return info === undefined ? '' : info.toString('utf16le', 16, 16 + info.readUInt16LE(0));
}

function readAccess(handle: number): number {
  return query(handle, BASIC, 56)?.readUInt32LE(4) ?? 0;
}

function query(handle: number, kind: number, length: number): Buffer | undefined {
  const info = Buffer.alloc(length);
  const args = [pointer(handle), i32(kind), memory(info), u32(length), memory(Buffer.alloc(4))] as const;
  return win32.call('ntdll', 'NtQueryObject', 'U32', ...args).value === 0 ? info : undefined;
}
