import type { Win32 } from './ffi-call.ts';
import { ProcessRight, queryProcess, readProcessMemory, withProcess } from './process-calls.ts';

/** Where the parameters of a process are in its memory: RTL_USER_PROCESS_PARAMETERS, 64 bit. */
export interface ProcessParameters {
  /** Command line as it was started with, or as it has changed it. */
  commandLine(): string | undefined;
  cwd(): string | undefined;
  /** The block of its environment, entries ended by NUL. */
  environment(): string | undefined;
}

/**
 * Opens the parameters of a process, which it may change at any time, and hands them to `use`. Undefined for one that has
 * ended, that we may not read, or that is of 32 bits, whose parameters lie elsewhere.
 */
export function withParameters<T>(win32: Win32, pid: number, use: (parameters: ProcessParameters) => T): T | undefined {
  const result = withProcess(win32, pid, PARAMETERS_RIGHTS, (handle) => {
    const parameters = readParameters(win32, handle);
    return parameters && { value: use(parameters) };
  });
  return typeof result === 'object' ? result.value : undefined;
}

/** The same of a process that is open with PARAMETERS_RIGHTS already, for as long as it is. */
export function readParameters(win32: Win32, handle: number): ProcessParameters | undefined {
  const fields = readFields(win32, handle);
  return fields && createParameters(win32, handle, fields);
}

/** What reading the parameters of a process needs. */
export const PARAMETERS_RIGHTS = ProcessRight.query | ProcessRight.readMemory;

const BASIC_INFORMATION = 0;
const WOW64_INFORMATION = 26;
const PARAMETERS_AT = 0x20;
const FIELDS_BYTES = 0x3f8;
const CWD_AT = 0x38;
const COMMAND_LINE_AT = 0x70;
const ENVIRONMENT_AT = 0x80;
const ENVIRONMENT_SIZE_AT = 0x3f0;
/** More than any program is given; what a process says of its size is its own to choose. */
const MAX_ENVIRONMENT_BYTES = 0x400000;

function readFields(win32: Win32, handle: number): Buffer | undefined {
  const wow64 = Buffer.alloc(8);
  if (queryProcess(win32, handle, WOW64_INFORMATION, wow64) !== 0 || wow64.readBigUInt64LE(0) !== 0n) return undefined;
  const basic = Buffer.alloc(48);
  if (queryProcess(win32, handle, BASIC_INFORMATION, basic) !== 0) return undefined;
  const pebAddress = readAddress(basic, 8);
  const peb = pebAddress && readProcessMemory(win32, handle, pebAddress + PARAMETERS_AT, 8);
  const parametersAddress = peb && readAddress(peb, 0);
  return parametersAddress ? readProcessMemory(win32, handle, parametersAddress, FIELDS_BYTES) : undefined;
}

function createParameters(win32: Win32, handle: number, fields: Buffer): ProcessParameters {
  const readText = (at: number, length: number): string | undefined => {
    const address = readAddress(fields, at);
    if (length === 0) return '';
    return address ? readProcessMemory(win32, handle, address, length)?.toString('utf16le') : undefined;
  };
  return {
    commandLine: () => readText(COMMAND_LINE_AT + 8, fields.readUInt16LE(COMMAND_LINE_AT)),
    cwd() {
      const path = readText(CWD_AT + 8, fields.readUInt16LE(CWD_AT));
      return path && withoutSlash(path);
    },
    environment() {
      const size = readAddress(fields, ENVIRONMENT_SIZE_AT) ?? 0;
      if (size > MAX_ENVIRONMENT_BYTES) return undefined;
      return readText(ENVIRONMENT_AT, size - (size % 2));
    },
  };
}

/** An address, or a size; undefined for what cannot be one of user space. */
function readAddress(bytes: Buffer, at: number): number | undefined {
  const value = bytes.readBigUInt64LE(at);
  return value > 0n && value < 1n << 47n ? Number(value) : undefined;
}

/** Windows keeps the working directory with a backslash at its end; only that of a drive's root belongs there. */
function withoutSlash(path: string): string {
  return /[^:\\]\\$/.test(path) ? path.slice(0, -1) : path;
}
