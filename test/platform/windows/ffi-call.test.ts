import { describe, expect, it } from 'vitest';
import type { Ffi } from '../../../src/platform/load-ffi.ts';
import { loadFfi } from '../../../src/platform/load-ffi.ts';
import {
  createWin32,
  i32,
  memory,
  nullPointer,
  pointer,
  u32,
  wide,
  word64,
} from '../../../src/platform/windows/ffi-call.ts';

/** A module that notes what it is asked, with the real types. */
function createModule(answer: (name: string) => unknown = () => ({ value: 7, errnoCode: 5, errnoMessage: '' })) {
  const { DataType } = loadFfi();
  const opened: string[] = [];
  const loaded: { funcName: string; paramsType: readonly number[]; paramsValue: readonly unknown[] }[] = [];
  const ffi = {
    DataType,
    open: ({ path }: { path: string }) => {
      if (path.startsWith('none')) throw new Error('Module not found. (os error 126)');
      opened.push(path);
    },
    load: (request: (typeof loaded)[number]) => {
      loaded.push(request);
      return answer(request.funcName);
    },
  } as unknown as Ffi;
  return { ffi, opened, loaded, DataType };
}

describe('a native call of Windows', () => {
  it('loads nothing before the first one, and opens each library once', () => {
    let loads = 0;
    const { ffi, opened } = createModule();
    const win32 = createWin32(() => {
      loads += 1;
      return ffi;
    });
    expect(loads).toBe(0);
    for (const library of ['kernel32', 'ntdll', 'kernel32']) win32.call(library, 'X', 'I32');
    expect({ loads, opened, count: win32.count }).toEqual({
      loads: 1,
      opened: ['kernel32.dll', 'ntdll.dll'],
      count: 3,
    });
  });

  it('hands over every kind of argument as ffi-rs takes it, and gives value and error', () => {
    const { ffi, loaded, DataType } = createModule();
    const bytes = Buffer.alloc(4);
    const args = [i32(-1), u32(0xffffffff), pointer(-1), nullPointer, word64(1n << 60n), wide('ü'), memory(bytes)];
    expect(createWin32(() => ffi).call('kernel32', 'X', 'I64', ...args)).toEqual({ value: 7, error: 5 });
    const { I32, U32, I64, BigInt: Big, WString, U8Array } = DataType;
    expect(loaded[0]).toMatchObject({
      paramsType: [I32, U32, I64, I64, Big, WString, U8Array],
      paramsValue: [-1, 0xffffffff, -1, 0, 1n << 60n, 'ü', bytes],
    });
  });

  it('fails with the name of the call where library or function is missing', async () => {
    const { ffi } = createModule((name) => {
      if (name === 'Missing') throw new Error('Cannot find "Missing" function in shared library');
      return Promise.reject(new Error('Cannot find it'));
    });
    const win32 = createWin32(() => ffi);
    expect(() => win32.call('none', 'X', 'I32')).toThrow(expect.objectContaining({ call: 'X', code: 126 }));
    expect(() => win32.call('kernel32', 'Missing', 'I32')).toThrow(
      expect.objectContaining({ name: 'Win32Error', call: 'Missing', code: 127 }),
    );
    await expect(win32.callInThread('kernel32', 'Waits', 'U32')).rejects.toMatchObject({ call: 'Waits', code: 127 });
  });

  it('fails each time, having tried once, where native code cannot be loaded', () => {
    let loads = 0;
    const win32 = createWin32(() => {
      loads += 1;
      throw new Error('no such module\nRequire stack:');
    });
    for (let time = 0; time < 2; time += 1) {
      expect(() => win32.call('kernel32', 'X', 'I32')).toThrow('X: no such module');
    }
    expect(win32.status()).toEqual({ type: 'unavailable', reason: 'no such module' });
    expect(loads).toBe(1);
  });
});
