import { i32, memory, pointer, u32, type Win32, Win32Error } from './ffi-call.ts';

/** GetCurrentProcess(): a handle of this process that needs not be closed. */
export const currentProcess = -1;

export interface DuplicateOptions {
  /** Process that gets the copy (PROCESS_DUP_HANDLE); left out: this one. */
  readonly into?: number;
  /** Rights of the copy; left out: those of the original. */
  readonly access?: number;
  /** True if children of its process get it too. */
  readonly inheritable?: boolean;
}

/** A copy of one of our handles, as its process names it. Throws Win32Error. */
export function duplicateHandle(win32: Win32, handle: number, options: DuplicateOptions = {}): number {
  const copy = Buffer.alloc(8);
  const { into = currentProcess, access, inheritable = false } = options;
  const { value, error } = win32.call(
    'kernel32',
    'DuplicateHandle',
    'I32',
    pointer(currentProcess),
    pointer(handle),
    pointer(into),
    memory(copy),
    u32(access ?? 0),
    i32(inheritable ? 1 : 0),
    u32(access === undefined ? DUPLICATE_SAME_ACCESS : 0),
  );
  if (value === 0) throw new Win32Error('DuplicateHandle', error);
  return Number(copy.readBigInt64LE(0));
}

const DUPLICATE_SAME_ACCESS = 2;
