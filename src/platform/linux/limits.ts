import { readSmall } from './read-small.ts';

/** A resource limit; Infinity is `unlimited`. */
export interface Limit {
  readonly soft: number;
  readonly hard: number;
}

/** Limit of open files of a process (RLIMIT_NOFILE); undefined if unreadable. */
export function readOpenFilesLimit(procRoot: string, pid: number): Limit | undefined {
  const bytes = readSmall(`${procRoot}/${pid}/limits`);
  return bytes && parseOpenFilesLimit(bytes);
}

/** Parses the line `Max open files` of proc_pid_limits(5); undefined if there is none. */
export function parseOpenFilesLimit(bytes: Buffer): Limit | undefined {
  const match = /^Max open files +(\d+|unlimited) +(\d+|unlimited) /m.exec(bytes.toString('latin1'));
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { soft: parseValue(match[1]), hard: parseValue(match[2]) };
}

function parseValue(text: string): number {
  return text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text);
}
