import { memory, pointer, type Win32 } from './ffi-call.ts';

/** Address of a buffer's first byte, valid while the buffer is referenced. memcpy(3) gives its destination back. */
export function addressOf(win32: Win32, bytes: Uint8Array): number {
  return win32.call('ntdll', 'memcpy', 'I64', memory(bytes), memory(bytes), pointer(0)).value;
}

/** A copy of memory of this process. The address must be valid for that length: else the process ends. */
export function copyFrom(win32: Win32, address: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  win32.call('ntdll', 'memcpy', 'I64', memory(bytes), pointer(address), pointer(length));
  return bytes;
}

/** The text at an address of this process, up to its NUL (LPWSTR). */
export function readWide(win32: Win32, address: number): string {
  const length = win32.call('kernel32', 'lstrlenW', 'I32', pointer(address)).value;
  return copyFrom(win32, address, length * 2).toString('utf16le');
}

/** Gives back what a function allocated by LocalAlloc; nothing for NULL. */
export function freeLocal(win32: Win32, address: number): void {
  if (address !== 0) win32.call('kernel32', 'LocalFree', 'I64', pointer(address));
}
