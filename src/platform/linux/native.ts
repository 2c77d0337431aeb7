import { type Ffi, loadFfi } from '../load-ffi.ts';

/** Whether native calls can be made, and if not why. */
export type NativeStatus = { readonly type: 'available' } | { readonly type: 'unavailable'; readonly reason: string };

/**
 * The calls for which Node has no name. Each answers as if the system had refused where native code cannot be loaded;
 * `status` tells which it was. A call costs some 25 µs, the first one several ms: not for loops.
 */
export interface Native {
  status(): NativeStatus;
  /** Makes us the parent of our tree's orphans, or stops it (PR_SET_CHILD_SUBREAPER(2const)); false if that failed. */
  setSubreaper(on: boolean): boolean;
  /** Takes a child's exit status if it has ended (waitpid(2) with WNOHANG); true if it is reaped now. */
  waitNoHang(pid: number): boolean;
  /** Value of an extended attribute (getxattr(2)), e.g. `user.delegate`; undefined if there is none. */
  getXattr(path: string, name: string): string | undefined;
}

/** The native calls of this process; nothing is loaded before the first one. */
export const native: Native = createNative(loadFfi);

/** Native calls over a module that `loadModule` gives; it may throw, which makes them unavailable. */
export function createNative(loadModule: () => Ffi): Native {
  let loaded: Loaded | undefined;

  function call(name: string, args: (types: Ffi['DataType']) => readonly (readonly [number, unknown])[]): number {
    loaded ??= openLibc(loadModule);
    if (loaded.type === 'unavailable') return FAILED;
    const { load, DataType } = loaded.ffi;
    const typed = args(DataType);
    try {
      return load({
        library: LIBC,
        funcName: name,
        retType: DataType.I32,
        paramsType: typed.map(([type]) => type),
        paramsValue: typed.map(([, value]) => value),
      });
    } catch (error) {
      loaded = { type: 'unavailable', reason: `${name}: ${messageOf(error)}` };
      return FAILED;
    }
  }

  return {
    status() {
      loaded ??= openLibc(loadModule);
      return loaded.type === 'available' ? { type: 'available' } : loaded;
    },
    setSubreaper(on) {
      const zero = (types: Ffi['DataType']) => [types.I64, 0] as const;
      return (
        call('prctl', (types) => [
          [types.I32, PR_SET_CHILD_SUBREAPER],
          [types.I64, on ? 1 : 0],
          zero(types),
          zero(types),
          zero(types),
        ]) === 0
      );
    },
    waitNoHang(pid) {
      if (!Number.isSafeInteger(pid) || pid <= 0) throw new Error(`internal: refused to wait for pid ${pid}`);
      const status = Buffer.alloc(4);
      return (
        call('waitpid', (types) => [
          [types.I32, pid],
          [types.U8Array, status],
          [types.I32, WNOHANG],
        ]) === pid
      );
    },
    getXattr(path, name) {
      const value = Buffer.alloc(256);
      const length = call('getxattr', (types) => [
        [types.String, path],
        [types.String, name],
        [types.U8Array, value],
        [types.U64, value.length],
      ]);
      return length < 0 ? undefined : value.toString('utf8', 0, length);
    },
  };
}

type Loaded =
  | { readonly type: 'available'; readonly ffi: Ffi }
  | { readonly type: 'unavailable'; readonly reason: string };

const LIBC = 'libc';
const FAILED = -1;
const PR_SET_CHILD_SUBREAPER = 36; // include/uapi/linux/prctl.h
const WNOHANG = 1;

/** An empty path is the running program itself, which has the C library in it whatever its file name is. */
function openLibc(loadModule: () => Ffi): Loaded {
  try {
    const ffi = loadModule();
    ffi.open({ library: LIBC, path: '' });
    return { type: 'available', ffi };
  } catch (error) {
    return { type: 'unavailable', reason: messageOf(error) };
  }
}

/** The first line: a failed require goes on with the stack of requires. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? text;
}
