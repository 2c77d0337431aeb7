import type { Context, Output } from '../../src/context.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { isUtf8Locale } from '../../src/render/locale.ts';
import type { Store } from '../../src/state/store.ts';

export interface MemoryOutput extends Output {
  /** All that was written. */
  readonly text: string;
}

export interface MemoryContext extends Context {
  readonly stdout: MemoryOutput;
  readonly stderr: MemoryOutput;
}

export interface MemoryContextOptions {
  readonly env?: Context['env'];
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly colorLevel?: Output['colorLevel'];
  readonly nowMs?: number;
  readonly platform?: Platform;
  readonly store?: Store;
}

const DEFAULT_ENV = { LANG: 'C.UTF-8' };

/** A context that lives in memory; a platform or store that was not given must not be asked for. */
export function createMemoryContext(options: MemoryContextOptions = {}): MemoryContext {
  return {
    env: options.env ?? DEFAULT_ENV,
    stdout: createMemoryOutput(options),
    stderr: createMemoryOutput(options),
    stdinIsTTY: options.isTTY ?? false,
    unicode: isUtf8Locale(options.env ?? DEFAULT_ENV),
    pid: process.pid,
    cwd: process.cwd(),
    now: () => options.nowMs ?? Date.now(),
    get platform() {
      return options.platform ?? fail('this test has no platform');
    },
    get store() {
      return options.store ?? fail('this test has no store');
    },
    confirm: () => Promise.resolve(false),
    exitCode: 0,
  };
}

function createMemoryOutput({ isTTY = false, columns, colorLevel = 0 }: MemoryContextOptions): MemoryOutput {
  let text = '';
  return {
    get text() {
      return text;
    },
    write(more) {
      text += more;
    },
    isOpen: true,
    isTTY,
    columns: isTTY ? (columns ?? 80) : undefined,
    colorLevel,
  };
}

function fail(message: string): never {
  throw new Error(message);
}
