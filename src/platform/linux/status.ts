import { readRecordText } from './read-small.ts';

/** What the long status file tells beyond the status line. */
export interface ProcessStatus {
  /** Real user id. */
  readonly uid: number | undefined;
  /** RssAnon + VmSwap, bytes; undefined for zombies and kernels before 4.5. */
  readonly privateBytes: number | undefined;
  /** Pid in its innermost namespace, if that is not the one we look from. */
  readonly innerPid: number | undefined;
}

/** Reads user, private memory and inner pid; undefined if there is no such process or it may not be seen. */
export function readStatus(procRoot: string, pid: number): ProcessStatus | undefined {
  const text = readRecordText(`${procRoot}/${pid}/status`);
  return text === undefined ? undefined : parseStatus(text);
}

/**
 * Parses proc_pid_status(5), a character for each byte. The name in its first line cannot forge others: the kernel escapes
 * newlines there.
 */
export function parseStatus(text: string): ProcessStatus {
  const anonymous = parseNumber(findLine(text, 'RssAnon'));
  const swapped = parseNumber(findLine(text, 'VmSwap')) ?? 0;
  return {
    uid: parseNumber(findLine(text, 'Uid')),
    privateBytes: anonymous === undefined ? undefined : (anonymous + swapped) * 1024,
    innerPid: parseInnerPid(findLine(text, 'NSpid')),
  };
}

function findLine(text: string, key: string): string | undefined {
  const at = text.indexOf(`\n${key}:`);
  if (at === -1) return undefined;
  const from = at + key.length + 2;
  const end = text.indexOf('\n', from);
  return text.slice(from, end === -1 ? text.length : end).trim();
}

/** The first number of a line: `1000` of `1000 1000 1000 1000`, `12` of `12 kB`. */
function parseNumber(line: string | undefined): number | undefined {
  const digits = line === undefined ? null : /^\d+/.exec(line);
  return digits === null ? undefined : Number(digits[0]);
}

/** NSpid lists the pid in every namespace from the one of this procfs inwards. */
function parseInnerPid(line: string | undefined): number | undefined {
  const pids = line?.split('\t') ?? [];
  const innermost = parseNumber(pids.at(-1));
  return pids.length > 1 && innermost !== parseNumber(pids[0]) ? innermost : undefined;
}
