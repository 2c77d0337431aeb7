import { type ProcessDetails, UNKNOWN_DETAILS } from '../../model/process.ts';
import type { DetailFields } from '../platform.ts';
import { parseCommandLine } from './command-line.ts';
import { type Win32, Win32Error } from './ffi-call.ts';
import { PARAMETERS_RIGHTS, type ProcessParameters, readParameters } from './peb.ts';
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

  /** By one handle: opening a process is the dearest of these calls. */
  read(pid: number, fields: DetailFields): ProcessDetails {
    if (!isPid(pid)) return UNKNOWN_DETAILS;
    const hasQuery = this.#hasCommandLineQuery;
    const needsMemory = fields.cwd === true || (fields.argv === true && !hasQuery);
    const whole = needsMemory ? this.#open(pid, fields, PARAMETERS_RIGHTS) : undefined;
    const details = whole ?? this.#open(pid, fields, ProcessRight.queryLimited);
    // Only now it is known that command lines are to be read from memory.
    if (fields.argv && hasQuery && !this.#hasCommandLineQuery) return this.read(pid, fields);
    return { ...UNKNOWN_DETAILS, ...details };
  }

  #open(pid: number, fields: DetailFields, rights: number): Partial<ProcessDetails> | undefined {
    const win32 = this.#win32;
    const details = quietly(() =>
      withProcess(win32, pid, rights, (handle) => {
        const canReadMemory = rights === PARAMETERS_RIGHTS;
        const parameters = canReadMemory ? quietly(() => readParameters(win32, handle)) : undefined;
        return {
          argv: fields.argv ? this.#readArgv(handle, parameters) : undefined,
          exe: fields.exe ? quietly(() => readImagePath(win32, handle)) : undefined,
          privateBytes: fields.status ? quietly(() => readMemoryCounters(win32, handle).privateBytes) : undefined,
          cwd: fields.cwd ? quietly(() => parameters?.cwd()) : undefined,
        };
      }),
    );
    return typeof details === 'object' ? details : undefined;
  }

  #readArgv(handle: number, parameters: ProcessParameters | undefined): readonly string[] | undefined {
    const line = quietly(() => this.#queryCommandLine(handle)) ?? quietly(() => parameters?.commandLine());
    return line === undefined || line === '' ? undefined : parseCommandLine(line);
  }

  #queryCommandLine(handle: number): string | undefined {
    if (!this.#hasCommandLineQuery) return undefined;
    const bytes = Buffer.alloc(COMMAND_LINE_BYTES);
    const status = queryProcess(this.#win32, handle, COMMAND_LINE_INFORMATION, bytes);
    if (status === STATUS_INVALID_INFO_CLASS) this.#hasCommandLineQuery = false;
    return status === 0 ? parseCommandLineInformation(bytes) : undefined;
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
