import { closeSync, constants, openSync, readSync } from 'node:fs';

/**
 * Reads a whole small file, in practice one of procfs, into one buffer that all calls share: the result is a view that
 * the next call overwrites, so parse it at once and keep no reference. Undefined if the file is not there, its process
 * has ended or it may not be read; throws on everything else.
 *
 * One buffer, because Node's readFileSync of a file without a size allocates and grows for every file, which is four
 * times slower.
 */
export function readSmall(path: string): Buffer | undefined {
  const fd = openForReading(path);
  if (fd === undefined) return undefined;
  try {
    return view(readToEnd(fd));
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  } finally {
    closeSync(fd);
  }
}

/**
 * As readSmall for a file that the kernel hands out by a single read(2) if the buffer is large enough, which saves the
 * read that finds the end: stat, status, cmdline and environ of a process (fs/proc/array.c, base.c). Of a list with
 * one line a thing, such as net/tcp, it would give no more than the first page.
 */
export function readRecord(path: string): Buffer | undefined {
  return view(fill(path));
}

/** As readRecord, a character for each byte (latin1): the cheaper one for what is taken apart as text. */
export function readRecordText(path: string): string | undefined {
  const length = fill(path);
  return length === undefined ? undefined : buffer.toString('latin1', 0, length);
}

/** Reads a record into the buffer; its length. */
function fill(path: string): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
  // A look at the machine is some hundred of these: nothing is called here that need not be.
  try {
    const count = readSync(fd, buffer, 0, buffer.length, null);
    return count < buffer.length ? count : readToEnd(fd, count);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** True for the errors that mean: not there, ended meanwhile, or not ours to see. */
export function isAbsence(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ESRCH' || isRefusal(error) || code === 'ENOTDIR';
}

/** True for the errors that mean: it is there, but not ours to see or signal. */
export function isRefusal(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'EACCES' || code === 'EPERM';
}

const INITIAL_SIZE = 128 * 1024;
let buffer = Buffer.allocUnsafeSlow(INITIAL_SIZE);

function view(length: number | undefined): Buffer | undefined {
  return length === undefined ? undefined : buffer.subarray(0, length);
}

function openForReading(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Loops until a read gives nothing: sequence files (seq_file in the kernel) hand out a page at a time. */
function readToEnd(fd: number, done = 0): number {
  let length = done;
  for (;;) {
    if (length === buffer.length) grow();
    const count = readSync(fd, buffer, length, buffer.length - length, null);
    if (count === 0) return length;
    length += count;
  }
}

function grow(): void {
  const larger = Buffer.allocUnsafeSlow(buffer.length * 2);
  buffer.copy(larger);
  buffer = larger;
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
