import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readGroup } from './cgroup.ts';
import { findByArgv } from './procfs.ts';

/** Prefix of a command that starts it as a member of a group. */
export function insideGroup(group: string): string[] {
  return ['bash', '-c', 'echo 0 > "$0/cgroup.procs" && exec "$@"', group];
}

/**
 * Live processes of a population, as an eye outside sees them: members of `group` where there is one, else processes
 * started as `program`. Looks several times, since a churning crowd slips through a single reading.
 */
export async function countCrowd(program: string, group: string | undefined): Promise<number[]> {
  const seen = new Set<number>();
  for (let look = 0; look < 5; look++) {
    const candidates = group === undefined ? findByArgv(program) : readGroup(group);
    for (const pid of candidates) if (isProgram(pid, program)) seen.add(pid);
    await delay(20);
  }
  return [...seen];
}

/** True once no process lives in a group or below it (cgroups(7), `populated`). */
export function isGroupEmpty(group: string): boolean {
  return /^populated 0$/m.test(readFileSync(join(group, 'cgroup.events'), 'utf8'));
}

function isProgram(pid: number, program: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith(`${program}\0`);
  } catch {
    return false;
  }
}
