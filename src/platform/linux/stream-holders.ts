import { readdirSync } from 'node:fs';
import { readLink } from './links.ts';

/** Which of the given processes hold our descriptor open, e.g. our stdout: whoever reads it sees no end before they end. */
export function findStreamHolders(fd: number, pids: Iterable<number>, procRoot = '/proc'): number[] {
  const target = readLink(`${procRoot}/self/fd/${fd}`);
  // A terminal or a file that stays open hurts nobody; only pipes and sockets have a reader that waits for their end.
  if (target === undefined || !/^(pipe|socket):\[/.test(target)) return [];
  return [...pids].filter((pid) => listTargets(`${procRoot}/${pid}/fd`).includes(target));
}

function listTargets(directory: string): (string | undefined)[] {
  try {
    return readdirSync(directory).map((name) => readLink(`${directory}/${name}`));
  } catch {
    // It has ended, or is another user's.
    return [];
  }
}
