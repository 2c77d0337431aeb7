import { type ProcessDetails, UNKNOWN_DETAILS } from '../../model/process.ts';
import type { DetailFields } from '../platform.ts';
import { parseCommandLine } from './command-line.ts';
import { type Win32, Win32Error } from './ffi-call.ts';
import { withParameters } from './peb.ts';
import { ProcessRight, queryProcess, readImagePath, readMemoryCounters, withProcess } from './process-calls.ts';
import { isPid } from './table.ts';

/** Reads what Windows tells of a process beside the table. What may not be read is undefined. */
export class DetailsReader {
  readonly #win32: Win32;
  /** False once the system did not know the query: Windows before 8.1, and Wine. */
  #hasCommandLineQuery = true;

  constructor(win32: Win32) {
    this.#win32 = win32;
  }

  read(pid: number, fields: DetailFields): ProcessDetails {
    if (!isPid(pid)) return UNKNOWN_DETAILS;
    return {
      ...UNKNOWN_DETAILS,
      argv: fields.argv ? this.#readArgv(pid) : undefined,
      ...((fields.exe || fields.status) && this.#readLimited(pid, fields)),
      cwd: fields.cwd ? quietly(() => withParameters(this.#win32, pid, ({ cwd }) => cwd())) : undefined,
    };
  }

  #readLimited(pid: number, fields: DetailFields): Partial<ProcessDetails> {
    const win32 = this.#win32;
    const read = () =>
      withProcess(win32, pid, ProcessRight.queryLimited, (handle) => ({
        exe: fields.exe ? quietly(() => readImagePath(win32, handle)) : undefined,
        privateBytes: fields.status ? quietly(() => readMemoryCounters(win32, handle).privateBytes) : undefined,
      }));
    const result = quietly(read);
    return typeof result === 'object' ? result : {};
  }

  #readArgv(pid: number): readonly string[] | undefined {
    const line =
      quietly(() => this.#queryCommandLine(pid)) ??
      quietly(() => withParameters(this.#win32, pid, ({ commandLine }) => commandLine()));
    return line === undefined || line === '' ? undefined : parseCommandLine(line);
  }

  #queryCommandLine(pid: number): string | undefined {
    if (!this.#hasCommandLineQuery) return undefined;
    const win32 = this.#win32;
    const line = withProcess(win32, pid, ProcessRight.queryLimited, (handle) => {
      const bytes = Buffer.alloc(COMMAND_LINE_BYTES);
      const status = queryProcess(win32, handle, COMMAND_LINE_INFORMATION, bytes);
      if (status === STATUS_INVALID_INFO_CLASS) this.#hasCommandLineQuery = false;
      return status === 0 ? { text: parseCommandLineInformation(bytes) } : undefined;
    });
    return typeof line === 'object' ? line.text : undefined;
  }
}

/** The text of a UNICODE_STRING that is followed by what it points to: ProcessCommandLineInformation. */
export function parseCommandLineInformation(bytes: Buffer): string {
  return bytes.toString('utf16le', UNICODE_STRING_BYTES, UNICODE_STRING_BYTES + bytes.readUInt16LE(0));
}

const COMMAND_LINE_INFORMATION = 60;
const STATUS_INVALID_INFO_CLASS = 0xc0000003;
const UNICODE_STRING_BYTES = 16;
/** A UNICODE_STRING is never longer than 65,535 bytes. */
const COMMAND_LINE_BYTES = 65_552;

/** A process can end between two calls: what cannot be read any more is unknown. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Win32Error) return undefined;
    throw error;
  }
}
