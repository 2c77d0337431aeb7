import { i32, memory, nullPointer, pointer, u32, type Win32, Win32Error } from './ffi-call.ts';
import { closeHandle } from './process-calls.ts';

/** The end of a process, waited for on a thread of its own. */
export interface ProcessEnd {
  /** Its exit code, 32 bits unsigned; undefined if the wait was given up. Rejects with Win32Error. */
  readonly ended: Promise<number | undefined>;
  /** Gives up waiting: it no longer keeps us running. The handle of the process stays open. */
  abandon(): void;
}

/** Waits for a process by a handle with SYNCHRONIZE and PROCESS_QUERY_LIMITED_INFORMATION. Throws Win32Error. */
export function waitForEnd(win32: Win32, process: number): ProcessEnd {
  const { value: event, error } = win32.call(
    'kernel32',
    'CreateEventW',
    'I64',
    nullPointer,
    i32(1),
    i32(0),
    nullPointer,
  );
  if (event === 0) throw new Win32Error('CreateEventW', error);
  const handles = Buffer.alloc(16);
  handles.writeBigInt64LE(BigInt(process), 0);
  handles.writeBigInt64LE(BigInt(event), 8);
  let isOver = false;
  const ended = (async () => {
    try {
      const args = [u32(2), memory(handles), i32(0), u32(INFINITE)] as const;
      const answer = await win32.callInThread('kernel32', 'WaitForMultipleObjects', 'U32', ...args);
      if (answer.value === WAIT_FAILED) throw new Win32Error('WaitForMultipleObjects', answer.error);
      return answer.value === 0 ? readExitCode(win32, process) : undefined;
    } finally {
      isOver = true;
      closeHandle(win32, event);
    }
  })();
  return {
    ended,
    abandon() {
      if (!isOver) win32.call('kernel32', 'SetEvent', 'I32', pointer(event));
    },
  };
}

/** Exit code of a process that has ended; 259 of one that runs. Throws Win32Error. */
export function readExitCode(win32: Win32, process: number): number {
  const code = Buffer.alloc(4);
  const { value, error } = win32.call('kernel32', 'GetExitCodeProcess', 'I32', pointer(process), memory(code));
  if (value === 0) throw new Win32Error('GetExitCodeProcess', error);
  return code.readUInt32LE(0);
}

const INFINITE = 0xffffffff;
const WAIT_FAILED = 0xffffffff;
