import type { StandardHandles } from './create-process.ts';
import { memory, pointer, u32, type Win32, type Win32Answer, Win32Error } from './ffi-call.ts';

/** Our standard handles, 0 where there is none. */
export function readStandardHandles(win32: Win32): StandardHandles {
  const [stdin, stdout, stderr] = standardNumbers.map((number) => readStandardHandle(win32, number)) as [
    number,
    number,
    number,
  ];
  return { stdin, stdout, stderr };
}

/** True if a console is attached to us: a child gets it too, and what is typed there reaches both. */
export function hasConsole(win32: Win32): boolean {
  const pids = Buffer.alloc(4);
  return win32.call('kernel32', 'GetConsoleProcessList', 'U32', memory(pids), u32(1)).value > 0;
}

/** The mode of a console that is open on one of our standard handles. */
export interface ConsoleMode {
  readonly handle: number;
  readonly mode: number;
}

/** The modes of our input and outputs, as far as they are consoles. */
export function readConsoleModes(win32: Win32, handles: StandardHandles): ConsoleMode[] {
  return [handles.stdin, handles.stdout, handles.stderr].flatMap((handle) => {
    const mode = Buffer.alloc(4);
    const { value } = win32.call('kernel32', 'GetConsoleMode', 'I32', pointer(handle), memory(mode));
    return handle === 0 || value === 0 ? [] : [{ handle, mode: mode.readUInt32LE(0) }];
  });
}

/** True if one of our outputs is a console that obeys escape sequences (ENABLE_VIRTUAL_TERMINAL_PROCESSING). */
export function takesSequences(win32: Win32, { stdout, stderr }: StandardHandles): boolean {
  const outputs = readConsoleModes(win32, { stdin: 0, stdout, stderr });
  return outputs.some(({ mode }) => (mode & 0x4) !== 0);
}

/** Gives consoles their modes back: what a program that was ended by force cannot do. A console that has gone needs none. */
export function restoreConsoleModes(win32: Win32, modes: readonly ConsoleMode[]): void {
  for (const { handle, mode } of modes) win32.call('kernel32', 'SetConsoleMode', 'I32', pointer(handle), u32(mode));
}

/**
 * Sets variables of our environment while `use` runs, for a child that inherits it as a whole: what Node does not show of
 * it, such as the current directories of drives (`=C:`), reaches the child too. Throws Win32Error if one cannot be set, not
 * if it cannot be given back: what was made for the child lives then.
 */
export function withVariables<T>(win32: Win32, added: Readonly<Record<string, string>>, use: () => T): T {
  const before = Object.keys(added).map((name) => [name, readVariable(win32, name)] as const);
  try {
    for (const [name, value] of Object.entries(added)) setVariable(win32, name, value);
    return use();
  } finally {
    for (const [name, value] of before) trySetVariable(win32, name, value);
  }
}

/** STD_INPUT_HANDLE and its neighbours. */
const standardNumbers = [0xfffffff6, 0xfffffff5, 0xfffffff4] as const;

function readStandardHandle(win32: Win32, number: number): number {
  const { value } = win32.call('kernel32', 'GetStdHandle', 'I64', u32(number));
  return value === -1 ? 0 : value;
}

function readVariable(win32: Win32, name: string): string | undefined {
  const units = Buffer.alloc(2 * mostUnits);
  const { value, error } = win32.call(
    'kernel32',
    'GetEnvironmentVariableW',
    'U32',
    memory(wideZ(name)),
    memory(units),
    u32(mostUnits),
  );
  if (value === 0) return error === environmentVariableNotFound ? undefined : '';
  return units.toString('utf16le', 0, 2 * value);
}

function setVariable(win32: Win32, name: string, text: string): void {
  const { value, error } = trySetVariable(win32, name, text);
  if (value === 0) throw new Win32Error('SetEnvironmentVariableW', error);
}

function trySetVariable(win32: Win32, name: string, text: string | undefined): Win32Answer {
  const value = text === undefined ? pointer(0) : memory(wideZ(text));
  return win32.call('kernel32', 'SetEnvironmentVariableW', 'I32', memory(wideZ(name)), value);
}

function wideZ(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'utf16le');
}

/** A variable has at most so many. */
const mostUnits = 32_767;
const environmentVariableNotFound = 203;
