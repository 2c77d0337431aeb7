import type { Win32, Win32Answer, Win32Argument, Win32Result } from '../../../src/platform/windows/ffi-call.ts';

/** A process of a machine that lives in memory. */
export interface FakeProcess {
  readonly pid: number;
  readonly ppid?: number;
  /** FILETIME; by default later with a greater pid. */
  readonly created?: bigint;
  /** User and kernel time each, 100 ns. */
  readonly cpu?: bigint;
  readonly rssBytes?: number;
  readonly privateBytes?: number;
  readonly threads?: number;
  readonly image?: string;
  readonly commandLine?: string;
  readonly cwd?: string;
  readonly environment?: readonly string[];
  readonly is32Bit?: boolean;
  /** OpenProcess with these rights is refused. */
  readonly denies?: number;
  /** It has ended, and somebody holds a handle to it. */
  exited?: boolean;
}

type Handler = (...values: never[]) => number | Win32Answer;

/** 2026-01-01 as a FILETIME. */
export const EPOCH = 134_116_992_000_000_000n;

const ok = (value: number): Win32Answer => ({ value, error: 0 });
const refuse = (error: number, value = 0): Win32Answer => ({ value, error });

/** Plays the calls of Windows at the boundary of ffi-rs, with what Wine cannot show. */
export class FakeWindows implements Win32 {
  readonly processes: FakeProcess[];
  /** Names of the calls made. */
  readonly calls: string[] = [];
  readonly handles = new Map<number, FakeProcess | 'snapshot'>();
  readonly ended: { pid: number; exitCode: number }[] = [];
  /** Rows of the TCP tables: protocol, address, port, state, pid. */
  tcp: readonly (readonly ['tcp' | 'tcp6', readonly number[], number, number, number])[] = [];
  machineGuid: string | undefined = '0A1B2C3D-0000-4000-8000-00000000CAFE';
  /** Statuses by information class, of NtQueryInformationProcess and (5) NtQuerySystemInformation. */
  readonly statuses = new Map<number, number>();
  /** Answers of single functions that go before all else. */
  readonly overrides = new Map<string, (...args: readonly Win32Argument[]) => Win32Answer | undefined>();
  #lastHandle = 0x100;
  #position = 0;

  constructor(processes: readonly FakeProcess[]) {
    this.processes = [...processes];
  }

  get count(): number {
    return this.calls.length;
  }

  status(): { readonly type: 'available' } {
    return { type: 'available' };
  }

  call(_library: string, name: string, _result: Win32Result, ...args: readonly Win32Argument[]): Win32Answer {
    this.calls.push(name);
    const override = this.overrides.get(name)?.(...args);
    if (override !== undefined) return override;
    const handler = this.#handlers[name];
    if (handler === undefined) throw new Error(`the fake has no ${name}`);
    const answer = (handler as (...values: unknown[]) => number | Win32Answer)(...args.map(({ value }) => value));
    return typeof answer === 'number' ? ok(answer) : answer;
  }

  callInThread(...args: Parameters<Win32['call']>): Promise<Win32Answer> {
    return Promise.resolve(this.call(...args));
  }

  readonly #handlers: Readonly<Record<string, Handler>> = {
    OpenProcess: (rights: number, _inherit: number, pid: number) => {
      // As Windows: the low two bits do not count.
      const process = this.processes.find((one) => one.pid === pid - (pid % 4));
      if (process === undefined) return refuse(87);
      if (((process.denies ?? 0) & rights) !== 0) return refuse(5);
      return this.#open(process);
    },
    CloseHandle: (handle: number) => (this.handles.delete(handle) ? 1 : refuse(6)),
    GetProcessTimes: (handle: number, created: Buffer, _exited: Buffer, kernel: Buffer, user: Buffer) => {
      const process = this.#processOf(handle);
      created.writeBigUInt64LE(createdAt(process));
      for (const time of [kernel, user]) time.writeBigUInt64LE(process.cpu ?? 0n);
      return 1;
    },
    WaitForSingleObject: (handle: number) => (this.#processOf(handle).exited ? 0 : 258),
    K32GetProcessMemoryInfo: (handle: number, counters: Buffer) => {
      const { rssBytes = 0, privateBytes = 0 } = this.#processOf(handle);
      counters.writeBigUInt64LE(BigInt(rssBytes), 16);
      counters.writeBigUInt64LE(BigInt(privateBytes), 72);
      return 1;
    },
    QueryFullProcessImageNameW: (handle: number, _flags: number, into: Buffer, length: Buffer) => {
      const image = imagePath(this.#processOf(handle));
      into.write(image, 'utf16le');
      length.writeUInt32LE(image.length);
      return 1;
    },
    TerminateProcess: (handle: number, exitCode: number) => {
      const process = this.#processOf(handle);
      if (process.exited) return refuse(5);
      process.exited = true;
      this.ended.push({ pid: process.pid, exitCode });
      return 1;
    },
    NtQueryInformationProcess: (handle: number, informationClass: number, into: Buffer) => {
      const status = this.statuses.get(informationClass) ?? 0;
      return status === 0 ? this.#query(this.#processOf(handle), informationClass, into) : status;
    },
    ReadProcessMemory: (handle: number, address: number, into: Buffer, length: number, count: Buffer) => {
      const bytes = readFakeMemory(this.#processOf(handle), address, length);
      bytes?.copy(into);
      count.writeBigUInt64LE(BigInt(bytes?.length ?? 0));
      return bytes === undefined ? refuse(299) : 1;
    },
    NtQuerySystemInformation: (informationClass: number, into: Buffer, size: number, needed: Buffer) => {
      const status = this.statuses.get(informationClass) ?? 0;
      if (status !== 0) return status;
      const snapshot = this.#snapshot();
      needed.writeUInt32LE(snapshot.length);
      if (snapshot.length > size) return 0xc0000004;
      snapshot.copy(into);
      return 0;
    },
    // Where a buffer is: all that is copied this way.
    memcpy: () => BUFFER_ADDRESS,
    CreateToolhelp32Snapshot: () => {
      this.#position = 0;
      return this.#open('snapshot');
    },
    Process32FirstW: (_handle: number, entry: Buffer) => this.#next(entry),
    Process32NextW: (_handle: number, entry: Buffer) => this.#next(entry),
    GetExtendedTcpTable: (table: Buffer, size: Buffer, _order: number, family: number) => {
      const bytes = tcpTable(this.tcp, family === 2 ? 'tcp' : 'tcp6');
      size.writeUInt32LE(bytes.length);
      if (bytes.length > table.length) return 122;
      bytes.copy(table);
      return 0;
    },
    RegGetValueW: (
      _key: number,
      _sub: string,
      _name: string,
      _flags: number,
      _type: number,
      into: Buffer,
      size: Buffer,
    ) => {
      if (this.machineGuid === undefined) return 2;
      size.writeUInt32LE(into.write(`${this.machineGuid}\0`, 'utf16le'));
      return 0;
    },
  };

  #open(what: FakeProcess | 'snapshot'): number {
    this.#lastHandle += 4;
    this.handles.set(this.#lastHandle, what);
    return this.#lastHandle;
  }

  #processOf(handle: number): FakeProcess {
    const process = this.handles.get(handle);
    if (process === undefined || process === 'snapshot') throw new Error(`the fake has no process of handle ${handle}`);
    return process;
  }

  #next(entry: Buffer): Win32Answer {
    const process = this.processes[this.#position++];
    if (process === undefined) return refuse(18);
    entry.writeUInt32LE(process.pid, 8);
    entry.writeUInt32LE(threadsOf(process), 28);
    entry.writeUInt32LE(process.ppid ?? 0, 32);
    entry.write(`${imageName(process)}\0`, 44, 'utf16le');
    return ok(1);
  }

  #query(process: FakeProcess, informationClass: number, into: Buffer): number {
    if (informationClass === 0) {
      into.writeBigUInt64LE(BigInt(PEB_ADDRESS), 8);
      into.writeBigUInt64LE(BigInt(process.ppid ?? 0), 40);
    } else if (informationClass === 26) {
      into.writeBigUInt64LE(process.is32Bit ? 0x7ffd_0000n : 0n);
    } else if (informationClass === 60) {
      into.writeUInt16LE(2 * (process.commandLine ?? '').length);
      into.writeBigUInt64LE(BUFFER_ADDRESS_LONG + 16n, 8);
      into.write(process.commandLine ?? '', 16, 'utf16le');
    } else {
      return 0xc0000003;
    }
    return 0;
  }

  /** A chain of SYSTEM_PROCESS_INFORMATION; the names follow one thread of each. */
  #snapshot(): Buffer {
    let at = 0;
    const entries = this.processes.map((process, index) => {
      const name = Buffer.from(imageName(process), 'utf16le');
      const entry = Buffer.alloc(256 + 80 + Math.ceil((name.length + 2) / 8) * 8);
      if (index < this.processes.length - 1) entry.writeUInt32LE(entry.length, 0);
      entry.writeUInt32LE(threadsOf(process), 4);
      entry.writeBigUInt64LE(createdAt(process), 32);
      for (const offset of [40, 48]) entry.writeBigUInt64LE(process.cpu ?? 0n, offset);
      entry.writeUInt16LE(name.length, 56);
      entry.writeBigUInt64LE(BUFFER_ADDRESS_LONG + BigInt(at + 336), 64);
      entry.writeBigUInt64LE(BigInt(process.pid), 80);
      entry.writeBigUInt64LE(BigInt(process.ppid ?? 0), 88);
      entry.writeBigUInt64LE(BigInt(process.rssBytes ?? 0), 144);
      name.copy(entry, 336);
      at += entry.length;
      return entry;
    });
    return Buffer.concat(entries);
  }
}

const BUFFER_ADDRESS = 0x1234_0000;
const BUFFER_ADDRESS_LONG = BigInt(BUFFER_ADDRESS);
const PEB_ADDRESS = 0x10_0000;
const PARAMETERS_ADDRESS = 0x20_0000;
const TEXTS_ADDRESS = 0x30_0000;

function createdAt({ pid, created }: FakeProcess): bigint {
  return created ?? EPOCH + BigInt(pid) * 10_000n;
}

function threadsOf({ threads = 1, exited }: FakeProcess): number {
  return exited ? 0 : threads;
}

function imagePath({ image = 'C:\\bin\\node.exe' }: FakeProcess): string {
  return image;
}

function imageName(process: FakeProcess): string {
  return imagePath(process).replace(/^.*\\/, '');
}

/** The address space of a process: its PEB, its parameters, and the texts that these point to. */
function readFakeMemory(process: FakeProcess, address: number, length: number): Buffer | undefined {
  const texts = [
    process.cwd ?? '',
    process.commandLine ?? '',
    `${(process.environment ?? []).map((entry) => `${entry}\0`).join('')}\0`,
  ].map((text) => Buffer.from(text, 'utf16le'));
  const [cwd = Buffer.alloc(0), commandLine = Buffer.alloc(0), environment = Buffer.alloc(0)] = texts;
  const peb = Buffer.alloc(0x40);
  peb.writeBigUInt64LE(BigInt(PARAMETERS_ADDRESS), 0x20);
  const parameters = Buffer.alloc(0x400);
  let at = TEXTS_ADDRESS;
  for (const [text, field] of [[cwd, 0x38] as const, [commandLine, 0x70] as const]) {
    parameters.writeUInt16LE(text.length, field);
    parameters.writeBigUInt64LE(BigInt(at), field + 8);
    at += text.length;
  }
  parameters.writeBigUInt64LE(BigInt(at), 0x80);
  parameters.writeBigUInt64LE(BigInt(environment.length), 0x3f0);
  const regions = [
    [PEB_ADDRESS, peb] as const,
    [PARAMETERS_ADDRESS, parameters] as const,
    [TEXTS_ADDRESS, Buffer.concat(texts)] as const,
  ];
  const region = regions.find(([start, bytes]) => address >= start && address + length <= start + bytes.length);
  return region && Buffer.from(region[1].subarray(address - region[0], address - region[0] + length));
}

function tcpTable(rows: FakeWindows['tcp'], wanted: 'tcp' | 'tcp6'): Buffer {
  const all = rows.filter(([protocol]) => protocol === wanted);
  const size = wanted === 'tcp' ? 24 : 56;
  const table = Buffer.alloc(4 + size * all.length);
  table.writeUInt32LE(all.length);
  all.forEach(([, address, port, state, pid], index) => {
    const at = 4 + size * index;
    Buffer.from(address).copy(table, at + (wanted === 'tcp' ? 4 : 0));
    table.writeUInt32LE(state, at + (wanted === 'tcp' ? 0 : 48));
    table.writeUInt16BE(port, at + (wanted === 'tcp' ? 8 : 20));
    table.writeUInt32LE(pid, at + (wanted === 'tcp' ? 20 : 52));
  });
  return table;
}
