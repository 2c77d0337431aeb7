import { readdirSync } from 'node:fs';
import { AgentmuxError } from '../../errors.ts';
import type { ProcessStat } from '../../model/process.ts';
import type { KernelUnits } from './kernel-units.ts';
import { readSmall } from './read-small.ts';
import { readUserStat } from './stat.ts';

/**
 * Status lines of every visible process except kernel threads, in the order of the directory (rising pids).
 * Throws AgentmuxError `no-procfs` where none is mounted.
 */
export function readTable(procRoot: string, units: KernelUnits): ProcessStat[] {
  const table: ProcessStat[] = [];
  for (const name of listProcfs(procRoot)) {
    if (!isPidName(name)) continue;
    const stat = readUserStat(procRoot, name, units);
    if (stat !== undefined) table.push(stat);
  }
  return table;
}

/** Pids in use, kernel threads' too, in the order of the directory. Throws as readTable does. */
export function listPids(procRoot: string): number[] {
  return listProcfs(procRoot).filter(isPidName).map(Number);
}

/** The pid that was given away last in our pid namespace, by proc_loadavg(5); undefined if the file is not there. */
export function readLastPid(procRoot: string): number | undefined {
  const bytes = readSmall(`${procRoot}/loadavg`);
  return bytes && parseLastPid(bytes);
}

/** Parses proc_loadavg(5): three loads, running/all, last pid; undefined if it is no such line. */
export function parseLastPid(bytes: Buffer): number | undefined {
  const match = /^[\d.]+ [\d.]+ [\d.]+ \d+\/\d+ (\d+)\s*$/.exec(bytes.toString('latin1'));
  return match === null ? undefined : Number(match[1]);
}

/** True for the names in procfs that are pids. */
export function isPidName(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= 0x31 && first <= 0x39;
}

function listProcfs(procRoot: string): string[] {
  try {
    return readdirSync(procRoot);
  } catch (cause) {
    const hint = `mount -t proc proc ${procRoot}`;
    throw new AgentmuxError('failed', `cannot read processes in "${procRoot}"`, { code: 'no-procfs', hint, cause });
  }
}
