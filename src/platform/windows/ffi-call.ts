import { type Ffi, loadFfi } from '../load-ffi.ts';

/** An argument of a call: what it is in C, and its value. Made by the functions below. */
export interface Win32Argument {
  readonly type: 'I32' | 'U32' | 'I64' | 'BigInt' | 'WString' | 'U8Array';
  readonly value: number | bigint | string | Uint8Array;
}

/** What a function gives back: BOOL is `I32`, DWORD and NTSTATUS are `U32`, HANDLE and pointers are `I64`. */
export type Win32Result = 'I32' | 'U32' | 'I64' | 'Void';

/** What a call gave. `error` is GetLastError() right after it: without meaning where the value tells success. */
export interface Win32Answer {
  readonly value: number;
  readonly error: number;
}

/** The native calls of Windows, by name. Wrappers in this folder take one, so that a test can answer in its place. */
export interface Win32 {
  /** Throws Win32Error with code 126 or 127 if the library or the function is not there, or native code cannot be loaded. */
  call(library: string, name: string, result: Win32Result, ...args: readonly Win32Argument[]): Win32Answer;
  /** The same on a thread of its own, for calls that wait. What the arguments point to must stay referenced until then. */
  callInThread(
    library: string,
    name: string,
    result: Win32Result,
    ...args: readonly Win32Argument[]
  ): Promise<Win32Answer>;
  /** Whether native code can be loaded, and if not why. */
  status(): { readonly type: 'available' } | { readonly type: 'unavailable'; readonly reason: string };
  /** Calls made so far: what a command costs, whatever the machine. */
  readonly count: number;
}

/** A native call failed. `code` is a system error code or, of the Nt… functions, a status. */
export class Win32Error extends Error {
  override readonly name = 'Win32Error';
  readonly call: string;
  readonly code: number;

  constructor(call: string, code: number, detail?: string) {
    super(`${call}: ${detail ?? `error ${code > 0xffff ? `0x${code.toString(16)}` : code}`}`);
    this.call = call;
    this.code = code;
  }
}

/** System error codes that wrappers look for (winerror.h). */
export const Win32Code = {
  fileNotFound: 2,
  accessDenied: 5,
  invalidHandle: 6,
  noMoreFiles: 18,
  notSupported: 50,
  invalidParameter: 87,
  insufficientBuffer: 122,
  moduleNotFound: 126,
  procedureNotFound: 127,
  alreadyExists: 183,
  partialCopy: 299,
  moreData: 234,
} as const;

/** BOOL, int and enumerations. */
export const i32 = (value: number): Win32Argument => ({ type: 'I32', value });
/** DWORD and UINT; flags from 0x80000000 on too. */
export const u32 = (value: number): Win32Argument => ({ type: 'U32', value });
/** HANDLE, SIZE_T and addresses below 2^53: user space ends at 2^47. */
export const pointer = (value: number): Win32Argument => ({ type: 'I64', value });
/** A whole word of 64 bits. */
export const word64 = (value: bigint): Win32Argument => ({ type: 'BigInt', value });
/** NULL in the place of any pointer. */
export const nullPointer: Win32Argument = { type: 'I64', value: 0 };
/** LPCWSTR. */
export const wide = (text: string): Win32Argument => ({ type: 'WString', value: text });
/** Memory that the function reads or writes in place. */
export const memory = (bytes: Uint8Array): Win32Argument => ({ type: 'U8Array', value: bytes });

/** The native calls of this process; nothing is loaded before the first one. */
export const win32: Win32 = createWin32(loadFfi);

/** Native calls over a module that `loadModule` gives; each library is opened when it is first needed. */
export function createWin32(loadModule: () => Ffi): Win32 {
  const opened = new Set<string>();
  let ffi: Ffi | undefined;
  let failure: string | undefined;
  let count = 0;

  function load(call: string): Ffi {
    if (failure === undefined && ffi === undefined) {
      try {
        ffi = loadModule();
      } catch (error) {
        failure = messageOf(error);
      }
    }
    if (ffi === undefined) throw new Win32Error(call, Win32Code.moduleNotFound, failure);
    return ffi;
  }

  function prepare(library: string, name: string, result: Win32Result, args: readonly Win32Argument[]) {
    const module = load(name);
    if (!opened.has(library)) {
      attempt(name, Win32Code.moduleNotFound, () => module.open({ library, path: `${library}.dll` }));
      opened.add(library);
    }
    count += 1;
    return {
      module,
      request: {
        library,
        funcName: name,
        retType: module.DataType[result],
        paramsType: args.map(({ type }) => module.DataType[type]),
        paramsValue: args.map(({ value }) => value),
        errno: true as const,
      },
    };
  }

  return {
    call(library, name, result, ...args) {
      const { module, request } = prepare(library, name, result, args);
      return answer(attempt(name, Win32Code.procedureNotFound, () => module.load(request)));
    },
    async callInThread(library, name, result, ...args) {
      const { module, request } = prepare(library, name, result, args);
      try {
        return answer(await module.load({ ...request, runInNewThread: true as const }));
      } catch (error) {
        throw new Win32Error(name, Win32Code.procedureNotFound, messageOf(error));
      }
    },
    status() {
      try {
        load('ffi-rs');
        return { type: 'available' };
      } catch (error) {
        return { type: 'unavailable', reason: failure ?? messageOf(error) };
      }
    },
    get count() {
      return count;
    },
  };
}

function attempt<T>(call: string, code: number, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new Win32Error(call, code, messageOf(error));
  }
}

/** ffi-rs gives `{value, errnoCode, errnoMessage}` where the error code is asked for. */
function answer(result: unknown): Win32Answer {
  const { value, errnoCode } = result as { readonly value?: unknown; readonly errnoCode: number };
  return { value: typeof value === 'number' ? value : 0, error: errnoCode };
}

/** The first line: a failed require goes on with the stack of requires. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? text;
}
