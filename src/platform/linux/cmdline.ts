import { isUtf8 } from 'node:buffer';
import { readRecord } from './read-small.ts';

/** The argument vector of a process. */
export interface CommandLine {
  readonly argv: readonly string[];
  /** The bytes, NUL separated, only if they are no valid UTF-8. */
  readonly argvBytes: Uint8Array | undefined;
}

/** Reads the argument vector; undefined if it may not be seen, empty for a zombie. */
export function readCommandLine(procRoot: string, pid: number): CommandLine | undefined {
  const bytes = readRecord(`${procRoot}/${pid}/cmdline`);
  return bytes && parseCommandLine(bytes);
}

/**
 * Parses proc_pid_cmdline(5): entries that each end with a NUL, empty ones included. A process may have written over
 * them: then the last NUL may be missing, or a title is followed by the emptied rest of the area, which is dropped.
 */
export function parseCommandLine(bytes: Buffer): CommandLine {
  if (bytes.length === 0) return { argv: [], argvBytes: undefined };
  const end = bytes[bytes.length - 1] === 0 ? bytes.length - 1 : bytes.length;
  const argv = bytes.toString('utf8', 0, end).split('\0');
  return {
    argv: isTitle(argv) ? argv.slice(0, 1) : argv,
    argvBytes: isUtf8(bytes) ? undefined : Uint8Array.from(bytes),
  };
}

/** So many empty arguments behind the first, and nothing else, are no arguments but an area wiped for a title. */
const EMPTIES_OF_A_TITLE = 4;

function isTitle(argv: readonly string[]): boolean {
  const [first, second] = argv;
  if (first === undefined || first === '' || second !== '') return false;
  if (argv.length <= EMPTIES_OF_A_TITLE && !first.includes(' ')) return false;
  return argv.every((argument, index) => index === 0 || argument === '');
}
