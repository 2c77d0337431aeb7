import { DataType, load, open } from 'ffi-rs';

/** A process as a snapshot shows it. */
export interface SeenProcess {
  readonly pid: number;
  /** The pid of its maker, which may be gone and its pid given away. */
  readonly ppid: number;
  /** File name of the program, lowercase. */
  readonly name: string;
}

/**
 * A look at this machine that shares no code with what is under test: Toolhelp32 and process handles.
 */
export function listProcesses(): SeenProcess[] {
  const snapshot = callNumber('CreateToolhelp32Snapshot', 'I64', ['U32', SNAP_PROCESS], ['U32', 0]);
  const entry = Buffer.alloc(ENTRY_BYTES);
  entry.writeUInt32LE(ENTRY_BYTES, 0);
  const found: SeenProcess[] = [];
  let more = callNumber('Process32FirstW', 'I32', ['I64', snapshot], ['U8Array', entry]);
  while (more !== 0) {
    const name = entry.toString('utf16le', 44).split('\0', 1)[0] ?? '';
    found.push({ pid: entry.readUInt32LE(8), ppid: entry.readUInt32LE(32), name: name.toLowerCase() });
    more = callNumber('Process32NextW', 'I32', ['I64', snapshot], ['U8Array', entry]);
  }
  close(snapshot);
  return found;
}

/** When it was made, in 100 ns since 1601; undefined if there is none, or it has ended. */
export function startedAt(pid: number): bigint | undefined {
  const handle = callNumber('OpenProcess', 'I64', ['U32', SYNCHRONIZE | QUERY_LIMITED], ['I32', 0], ['U32', pid]);
  if (handle === 0) return undefined;
  const times = [0, 1, 2, 3].map(() => Buffer.alloc(8)) as [Buffer, Buffer, Buffer, Buffer];
  callNumber('GetProcessTimes', 'I32', ['I64', handle], ...times.map((time) => ['U8Array', time] as const));
  const ended = callNumber('WaitForSingleObject', 'U32', ['I64', handle], ['U32', 0]) === 0;
  close(handle);
  return ended ? undefined : times[0].readBigUInt64LE();
}

export function isAlive(pid: number): boolean {
  return startedAt(pid) !== undefined;
}

/** Ends a process at once; one that has gone is none of our business. */
export function endProcess(pid: number): void {
  if (pid <= 4 || pid === process.pid) throw new Error(`internal: will not end pid ${pid}`);
  const handle = callNumber('OpenProcess', 'I64', ['U32', TERMINATE], ['I32', 0], ['U32', pid]);
  if (handle === 0) return;
  callNumber('TerminateProcess', 'I32', ['I64', handle], ['U32', 1]);
  close(handle);
}

/** Makes a process stand still. */
export function suspend(pid: number): void {
  const handle = callNumber('OpenProcess', 'I64', ['U32', SUSPEND_RESUME], ['I32', 0], ['U32', pid]);
  callNumber('NtSuspendProcess', 'I32', ['I64', handle]);
  close(handle);
}

/**
 * Live processes below `pid`, whatever their depth; a maker counts only if it is older. `bornAt`: when `pid` was made, if
 * it may have ended: else what others made that had its number before is taken for its own.
 */
export function descendants(pid: number, bornAt = startedAt(pid)): SeenProcess[] {
  const table = listProcesses();
  const found = new Map<number, SeenProcess>();
  const walk = (parent: number, since: bigint | undefined) => {
    for (const child of table.filter(({ ppid, pid: own }) => ppid === parent && own !== parent && !found.has(own))) {
      const start = startedAt(child.pid);
      if (start === undefined || (since !== undefined && start < since)) continue;
      found.set(child.pid, child);
      walk(child.pid, start);
    }
  };
  walk(pid, bornAt);
  return [...found.values()];
}

/** Priority class of a live process, e.g. 0x4000 below normal; 0 if it cannot be read. */
export function priorityClass(pid: number): number {
  const handle = callNumber('OpenProcess', 'I64', ['U32', QUERY_LIMITED], ['I32', 0], ['U32', pid]);
  if (handle === 0) return 0;
  const found = callNumber('GetPriorityClass', 'U32', ['I64', handle]);
  close(handle);
  return found;
}

const SNAP_PROCESS = 2;
const SUSPEND_RESUME = 0x800;
/** PROCESSENTRY32W. */
const ENTRY_BYTES = 568;
const TERMINATE = 0x1;
const QUERY_LIMITED = 0x1000;
const SYNCHRONIZE = 0x100000;

type Argument = readonly ['I32' | 'U32' | 'I64' | 'U8Array', number | Uint8Array];

const opened = new Set<string>();

function callNumber(funcName: string, retType: 'I32' | 'U32' | 'I64', ...args: readonly Argument[]): number {
  const dll = funcName.startsWith('Nt') ? 'ntdll' : 'kernel32';
  const library = `look-${dll}`;
  if (!opened.has(library)) open({ library, path: `${dll}.dll` });
  opened.add(library);
  const result: unknown = load({
    library,
    funcName,
    retType: DataType[retType],
    paramsType: args.map(([type]) => DataType[type]),
    paramsValue: args.map(([, value]) => value),
  });
  return Number(result);
}

function close(handle: number): void {
  callNumber('CloseHandle', 'I32', ['I64', handle]);
}
