import { i32, memory, win32 as ownWin32, type Win32, Win32Code, Win32Error, wide } from './ffi-call.ts';
import { closeHandle } from './process-calls.ts';
import { ownerOnly } from './security.ts';

/**
 * Takes a name for this process by making a kernel object of that name, which lives as long as our handle to it; undefined
 * if another process has it. A mutex, of which only the existence counts: it can be made in the namespace of all sessions
 * without a privilege, and unlike a named pipe it is one for everybody at once.
 */
export function takeName(name: string, win32: Win32 = ownWin32): { release(): void } | undefined {
  const security = ownerOnly(win32, 'object');
  try {
    const { value: handle, error } = win32.call(
      ...(['kernel32', 'CreateMutexW', 'I64'] as const),
      ...[memory(security.bytes), i32(0), wide(name)],
    );
    // Another user's may not even be opened.
    if (handle === 0 && error === Win32Code.accessDenied) return undefined;
    if (handle === 0) throw new Win32Error('CreateMutexW', error);
    if (error !== Win32Code.alreadyExists) return { release: () => closeHandle(win32, handle) };
    closeHandle(win32, handle);
    return undefined;
  } finally {
    security.close();
  }
}
