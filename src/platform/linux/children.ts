import { readdirSync } from 'node:fs';
import type { KernelUnits } from './kernel-units.ts';
import { isAbsence, readSmall } from './read-small.ts';
import { readTable } from './table.ts';

/**
 * Processes whose parent is `pid`, zombies included. A child belongs to the thread that forked it, so all threads are
 * asked; kernels without CONFIG_PROC_CHILDREN have no such file and the whole table is searched.
 */
export function readChildren(procRoot: string, pid: number, units: KernelUnits): number[] {
  const children: number[] = [];
  for (const thread of listThreads(procRoot, pid)) {
    const bytes = readSmall(`${procRoot}/${pid}/task/${thread}/children`);
    if (bytes !== undefined) children.push(...parseChildren(bytes));
    else if (!hasChildrenFiles(procRoot)) return findChildren(procRoot, pid, units);
  }
  return children;
}

/** Parses the list of proc_pid_task_children(5), pids separated by blanks. */
export function parseChildren(bytes: Buffer): number[] {
  return bytes
    .toString('latin1')
    .split(' ')
    .map(Number)
    .filter((pid) => Number.isSafeInteger(pid) && pid > 0);
}

function listThreads(procRoot: string, pid: number): string[] {
  try {
    return readdirSync(`${procRoot}/${pid}/task`);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

/** Whether this kernel has the file at all, asked of ourselves, who surely live. */
function hasChildrenFiles(procRoot: string): boolean {
  return readSmall(`${procRoot}/thread-self/children`) !== undefined;
}

function findChildren(procRoot: string, pid: number, units: KernelUnits): number[] {
  return readTable(procRoot, units)
    .filter((stat) => stat.ppid === pid)
    .map((stat) => stat.pid);
}
