import { readdirSync } from 'node:fs';

/** Ids of a process' threads; its pid alone where there is no such list. */
export function listThreads(pid: number, procRoot = '/proc'): number[] {
  try {
    const ids = readdirSync(`${procRoot}/${pid}/task`).map(Number);
    return ids.length === 0 ? [pid] : ids;
  } catch {
    return [pid];
  }
}
