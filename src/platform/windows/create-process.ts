import { environmentBlock } from './environment-block.ts';
import { i32, memory, nullPointer, pointer, u32, type Win32, Win32Error, wide } from './ffi-call.ts';
import { duplicateHandle } from './handle-calls.ts';
import { addressOf } from './memory-calls.ts';
import { closeHandle } from './process-calls.ts';

export interface CreateProcessRequest {
  /** Path of the program; undefined: Windows looks for the first word of the command line. */
  readonly applicationName: string | undefined;
  /** Quoted as the program parses it. At most 32,766 characters. */
  readonly commandLine: string;
  /** Undefined: a copy of ours. */
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
  /** Undefined: ours. */
  readonly cwd: string | undefined;
  /** Standard handles of ours for the child, 0 for none; undefined: it gets those of our console. */
  readonly handles: StandardHandles | undefined;
  /** Job that the child is in before it runs. */
  readonly job: number | undefined;
  /** Inheritable handles of ours that the child gets beside its standard ones; nothing else is inherited. */
  readonly inherited?: readonly number[] | undefined;
  /** True if we have no console, so that none opens for the child (CREATE_NO_WINDOW). */
  readonly noWindow?: boolean;
  /** Further creation flags, e.g. CREATE_NEW_PROCESS_GROUP. */
  readonly flags?: number;
}

export interface StandardHandles {
  readonly stdin: number;
  readonly stdout: number;
  readonly stderr: number;
}

/** A process that was started; `handle` has all rights and is closed by whoever started it. */
export interface CreatedProcess {
  readonly pid: number;
  readonly handle: number;
}

/**
 * Starts a process that inherits the named handles and nothing else, in a job from before its first instruction.
 * Throws Win32Error: 2 and 3 not found, 5 refused, 193 no program, 740 wants to be elevated, 206 too long a command line.
 */
export function createProcess(win32: Win32, request: CreateProcessRequest): CreatedProcess {
  const commandLine = Buffer.from(`${request.commandLine}\0`, 'utf16le');
  const env = request.env && environmentBlock(request.env);
  const copies = duplicateStandard(win32, request.handles);
  const attributes = openAttributes(win32, request.job, [...copies.values(), ...(request.inherited ?? [])]);
  try {
    const startup = startupInfo(request.handles, copies, attributes.address);
    const info = Buffer.alloc(24);
    const flags = EXTENDED_STARTUPINFO_PRESENT | CREATE_UNICODE_ENVIRONMENT | (request.flags ?? 0);
    const { value, error } = win32.call(
      'kernel32',
      'CreateProcessW',
      'I32',
      request.applicationName === undefined ? nullPointer : wide(request.applicationName),
      memory(commandLine),
      nullPointer,
      nullPointer,
      i32(attributes.inherits ? 1 : 0),
      u32(flags | (request.noWindow === true ? CREATE_NO_WINDOW : 0)),
      env === undefined ? nullPointer : memory(env),
      request.cwd === undefined ? nullPointer : wide(request.cwd),
      memory(startup),
      memory(info),
    );
    if (value === 0) throw new Win32Error('CreateProcessW', error);
    closeHandle(win32, Number(info.readBigInt64LE(8)));
    return { handle: Number(info.readBigInt64LE(0)), pid: info.readUInt32LE(16) };
  } finally {
    attributes.close();
    for (const copy of copies.values()) closeHandle(win32, copy);
  }
}

const EXTENDED_STARTUPINFO_PRESENT = 0x80000;
const CREATE_UNICODE_ENVIRONMENT = 0x400;
const CREATE_NO_WINDOW = 0x8000000;
const STARTF_USESTDHANDLES = 0x100;
/** UpdateProcThreadAttribute. */
const Attribute = { handleList: 0x20002, jobList: 0x2000d } as const;

type HandleName = keyof StandardHandles;
const names: readonly HandleName[] = ['stdin', 'stdout', 'stderr'];

/** Inheritable copies: ours stay as they are, and the list of inherited handles may not name one twice. */
function duplicateStandard(win32: Win32, handles: StandardHandles | undefined): Map<HandleName, number> {
  const copies = new Map<HandleName, number>();
  for (const name of names) {
    const handle = handles?.[name] ?? 0;
    if (handle !== 0 && handle !== -1) copies.set(name, duplicateHandle(win32, handle, { inheritable: true }));
  }
  return copies;
}

/** STARTUPINFOEXW. */
function startupInfo(
  handles: StandardHandles | undefined,
  copies: ReadonlyMap<HandleName, number>,
  attributes: number,
): Buffer {
  const info = Buffer.alloc(112);
  info.writeUInt32LE(info.length, 0);
  if (handles !== undefined) info.writeUInt32LE(STARTF_USESTDHANDLES, 60);
  for (const [index, name] of names.entries()) info.writeBigInt64LE(BigInt(copies.get(name) ?? 0), 80 + 8 * index);
  info.writeBigInt64LE(BigInt(attributes), 104);
  return info;
}

interface AttributeList {
  readonly address: number;
  readonly inherits: boolean;
  close(): void;
}

/** PROC_THREAD_ATTRIBUTE_LIST: the values that it points to stay referenced by `close`. */
function openAttributes(win32: Win32, job: number | undefined, inherited: readonly number[]): AttributeList {
  const values: (readonly [number, Buffer])[] = [];
  if (job !== undefined) values.push([Attribute.jobList, words([job])]);
  if (inherited.length > 0) values.push([Attribute.handleList, words(inherited)]);
  if (values.length === 0) return { address: 0, inherits: false, close: () => undefined };
  const size = Buffer.alloc(8);
  const count = u32(values.length);
  // With no list it tells the size that one needs, as an error.
  win32.call('kernel32', 'InitializeProcThreadAttributeList', 'I32', nullPointer, count, u32(0), memory(size));
  const list = Buffer.alloc(Number(size.readBigUInt64LE(0)));
  const made = win32.call(
    'kernel32',
    'InitializeProcThreadAttributeList',
    'I32',
    memory(list),
    count,
    u32(0),
    memory(size),
  );
  if (made.value === 0) throw new Win32Error('InitializeProcThreadAttributeList', made.error);
  const close = () => {
    win32.call('kernel32', 'DeleteProcThreadAttributeList', 'Void', memory(list));
    values.length = 0;
  };
  for (const [attribute, value] of values) {
    const { value: done, error } = win32.call(
      'kernel32',
      'UpdateProcThreadAttribute',
      'I32',
      memory(list),
      u32(0),
      pointer(attribute),
      memory(value),
      pointer(value.length),
      nullPointer,
      nullPointer,
    );
    if (done !== 0) continue;
    close();
    throw new Win32Error('UpdateProcThreadAttribute', error);
  }
  return { address: addressOf(win32, list), inherits: inherited.length > 0, close };
}

function words(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  for (const [index, value] of values.entries()) bytes.writeBigInt64LE(BigInt(value), 8 * index);
  return bytes;
}
