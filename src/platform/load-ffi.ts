import { createRequire } from 'node:module';
import { readSmall } from './linux/read-small.ts';

/** What we use of ffi-rs. */
export type Ffi = Pick<typeof import('ffi-rs'), 'open' | 'load' | 'DataType'>;

/**
 * Loads ffi-rs. To tell glibc from musl it asks for a whole diagnostic report of the process, some 20 ms at the start of
 * every run; while it loads it is given an answer of that one fact. Throws what the require throws.
 */
export function loadFfi(): Ffi {
  const original = Object.getOwnPropertyDescriptor(process, 'report');
  const isReplaceable = original?.configurable === true;
  if (isReplaceable) Object.defineProperty(process, 'report', { ...original, ...replacement(original) });
  try {
    return createRequire(import.meta.url)('ffi-rs') as Ffi;
  } finally {
    if (isReplaceable && original !== undefined) Object.defineProperty(process, 'report', original);
  }
}

function replacement(original: PropertyDescriptor): PropertyDescriptor {
  const getReport = () => ({ header: { glibcVersionRuntime: usesMusl() ? undefined : 'glibc' } });
  return 'value' in original ? { value: { getReport } } : { get: () => ({ getReport }) };
}

/** The dynamic loader of musl is mapped into every process that uses it (proc_pid_maps(5)). */
function usesMusl(): boolean {
  return readSmall('/proc/self/maps')?.includes('/ld-musl-') ?? false;
}
