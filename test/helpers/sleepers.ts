import { findByArgv, readArgv } from './procfs.ts';

/** Pids of live `sleep` processes that sleep for exactly this number of seconds: a number nobody else uses marks them. */
export function findSleepers(seconds: string): number[] {
  return findByArgv(seconds).filter((pid) => readArgv(pid).join(' ') === `sleep ${seconds}`);
}
