import type { Win32, Win32Answer, Win32Argument } from '../../src/platform/windows/ffi-call.ts';

/** A job object as Windows keeps it. */
export interface FakeJob {
  readonly name: string;
  owner: string;
  members: number[];
  flags: number;
  priorityClass: number;
  /** User and system time, in units of 100 ns. */
  userTime: bigint;
  kernelTime: bigint;
  totalProcesses: number;
}

/** A process: who lives is in the map. */
export interface FakeProcess {
  readonly pid: number;
  /** Jobs of its handles, one entry each: they keep the job's name. */
  readonly handles: FakeJob[];
}

/**
 * Job objects of Windows at the boundary of native calls, with what Wine does not show: limits that can be read back,
 * CPU that is counted, and a name that is gone with the last handle.
 */
export class FakeWindows {
  user = 'S-1-5-21-1-2-3-1001';
  readonly jobs = new Map<string, FakeJob>();
  readonly processes = new Map<number, FakeProcess>();
  /** Calls that fail, by name, with this code. */
  readonly failing = new Map<string, number>();
  readonly calls: string[] = [];
  readonly #handles = new Map<number, { readonly job?: FakeJob; readonly pid?: number }>();
  readonly #memory = new Map<number, Buffer>();
  #next = 0x1000;

  readonly win32: Win32;

  constructor() {
    const call: Win32['call'] = (_library, name, _result, ...args) => {
      this.calls.push(name);
      const failure = this.failing.get(name);
      if (failure !== undefined) return { value: 0, error: failure };
      const handler = this.#functions[name];
      if (handler === undefined) throw new Error(`internal: the fake has no ${name}`);
      const answer = handler(args);
      return typeof answer === 'number' ? { value: answer, error: 0 } : answer;
    };
    const { calls } = this;
    this.win32 = {
      call,
      callInThread: async (...args) => call(...args),
      status: () => ({ type: 'available' }),
      get count() {
        return calls.length;
      },
    };
  }

  start(pid: number, ...jobs: FakeJob[]): FakeProcess {
    const process = { pid, handles: [] };
    this.processes.set(pid, process);
    for (const job of jobs) this.#join(job, pid);
    return process;
  }

  /** A job that is there already: who holds it is told by `handles`. */
  makeJob(name: string, flags = 0): FakeJob {
    const job: FakeJob = {
      ...{ name, owner: this.user, members: [], flags, priorityClass: 0 },
      ...{ userTime: 0n, kernelTime: 0n, totalProcesses: 0 },
    };
    this.jobs.set(name, job);
    return job;
  }

  /** Puts this process into a job. */
  enter(job: FakeJob): void {
    this.#join(job, OWN_PID);
  }

  /** It ends: so do its handles. */
  end(pid: number): void {
    this.processes.delete(pid);
    for (const job of this.jobs.values()) job.members = job.members.filter((one) => one !== pid);
    this.#sweepNames();
  }

  /** Every handle of ours is closed, as when this process is killed. */
  closeOurs(): void {
    this.#handles.clear();
    this.#sweepNames();
  }

  get openHandles(): number {
    return this.#handles.size;
  }

  /** The job behind a handle. */
  jobOf(handle: number | undefined): FakeJob {
    const job = this.#handles.get(handle ?? 0)?.job;
    if (job === undefined) throw new Error(`no job behind handle ${handle}`);
    return job;
  }

  #join(job: FakeJob, pid: number): void {
    job.members.push(pid);
    job.totalProcesses += 1;
  }

  #open(target: { readonly job?: FakeJob; readonly pid?: number }): number {
    this.#next += 4;
    this.#handles.set(this.#next, target);
    return this.#next;
  }

  /** The name goes with the last handle; members are ended with it where the job says so. */
  #sweepNames(): void {
    for (const [name, job] of this.jobs) {
      const isOurs = [...this.#handles.values()].some((handle) => handle.job === job);
      const isHeld = isOurs || [...this.processes.values()].some(({ handles }) => handles.includes(job));
      if (isHeld) continue;
      this.jobs.delete(name);
      if ((job.flags & 0x2000) !== 0) for (const pid of [...job.members]) this.end(pid);
    }
  }

  #text(text: string): number {
    this.#next += 0x1000;
    this.#memory.set(this.#next, Buffer.from(`${text}\0`, 'utf16le'));
    return this.#next;
  }

  readonly #functions: Record<string, (args: readonly Win32Argument[]) => number | Win32Answer> = {
    CreateJobObjectW: ([, name]) => {
      const known = this.jobs.get(String(name?.value));
      if (known) return { value: this.#open({ job: known }), error: 183 };
      const job = this.makeJob(String(name?.value));
      return this.#open({ job });
    },
    OpenJobObjectW: ([, , name]) => {
      const job = this.jobs.get(String(name?.value));
      return job ? this.#open({ job }) : { value: 0, error: 2 };
    },
    AssignProcessToJobObject: ([job, process]) => {
      this.#join(this.jobOf(numberOf(job)), this.#handles.get(numberOf(process))?.pid ?? 0);
      return 1;
    },
    QueryInformationJobObject: ([handle, kind, into]) => {
      const around = [...this.jobs.values()].find(({ members }) => members.includes(OWN_PID));
      const job = numberOf(handle) === 0 && around ? around : this.jobOf(numberOf(handle));
      const bytes = bufferOf(into);
      if (numberOf(kind) === 1) {
        bytes.writeBigInt64LE(job.userTime, 0);
        bytes.writeBigInt64LE(job.kernelTime, 8);
        bytes.writeUInt32LE(job.totalProcesses, 36);
        bytes.writeUInt32LE(job.members.length, 40);
        return 1;
      }
      if (numberOf(kind) === 9) {
        bytes.writeUInt32LE(job.flags, 16);
        bytes.writeUInt32LE(job.priorityClass, 56);
        return 1;
      }
      const room = Math.floor((bytes.length - 8) / 8);
      bytes.writeUInt32LE(job.members.length, 0);
      if (job.members.length > room) return { value: 0, error: 234 };
      bytes.writeUInt32LE(job.members.length, 4);
      for (const [index, pid] of job.members.entries()) bytes.writeBigUInt64LE(BigInt(pid), 8 + 8 * index);
      return 1;
    },
    SetInformationJobObject: ([handle, , from]) => {
      const job = this.jobOf(numberOf(handle));
      job.flags = bufferOf(from).readUInt32LE(16);
      job.priorityClass = bufferOf(from).readUInt32LE(56);
      return 1;
    },
    TerminateJobObject: ([handle]) => {
      for (const pid of [...this.jobOf(numberOf(handle)).members]) this.end(pid);
      return 1;
    },
    IsProcessInJob: ([process, handle, into]) => {
      const pid = this.#handles.get(numberOf(process))?.pid ?? OWN_PID;
      const jobs = numberOf(handle) === 0 ? [...this.jobs.values()] : [this.jobOf(numberOf(handle))];
      bufferOf(into).writeInt32LE(jobs.some(({ members }) => members.includes(pid)) ? 1 : 0, 0);
      return 1;
    },
    DuplicateHandle: ([, handle, target, into]) => {
      const { job } = this.#handles.get(numberOf(handle)) ?? {};
      const pid = this.#handles.get(numberOf(target))?.pid;
      if (pid !== undefined && job !== undefined) this.processes.get(pid)?.handles.push(job);
      bufferOf(into).writeBigInt64LE(BigInt(pid === undefined ? this.#open({ job }) : 0x44), 0);
      return 1;
    },
    CloseHandle: ([handle]) => {
      this.#handles.delete(numberOf(handle));
      this.#sweepNames();
      return 1;
    },
    OpenProcess: ([, , pid]) => {
      if (!this.processes.has(numberOf(pid))) return { value: 0, error: 87 };
      return this.#open({ pid: numberOf(pid) });
    },
    OpenProcessToken: ([, , into]) => {
      bufferOf(into).writeBigInt64LE(BigInt(this.#open({})), 0);
      return 1;
    },
    GetTokenInformation: ([, , into]) => {
      bufferOf(into).writeBigInt64LE(BigInt(this.#text(this.user)), 0);
      return 1;
    },
    ConvertSidToStringSidW: ([sid, into]) => {
      bufferOf(into).writeBigInt64LE(BigInt(numberOf(sid)), 0);
      return 1;
    },
    ConvertStringSecurityDescriptorToSecurityDescriptorW: ([text, , into]) => {
      bufferOf(into).writeBigInt64LE(BigInt(this.#text(String(text?.value))), 0);
      return 1;
    },
    GetSecurityInfo: (args) => {
      const sddl = `O:${this.jobOf(numberOf(args[0])).owner}D:P(A;;GA;;;${this.user})`;
      bufferOf(args[7]).writeBigInt64LE(BigInt(this.#text(sddl)), 0);
      return 0;
    },
    ConvertSecurityDescriptorToStringSecurityDescriptorW: ([descriptor, , , into]) => {
      const text = this.#memory.get(numberOf(descriptor))?.toString('utf16le').slice(0, -1) ?? '';
      bufferOf(into).writeBigInt64LE(BigInt(this.#text(abbreviateSids(text))), 0);
      return 1;
    },
    LocalFree: () => 0,
    lstrlenW: ([address]) => (this.#memory.get(numberOf(address))?.length ?? 2) / 2 - 1,
    memcpy: ([into, from]) => {
      this.#memory.get(numberOf(from))?.copy(bufferOf(into));
      return numberOf(from);
    },
  };
}

/** As ConvertSecurityDescriptorToStringSecurityDescriptorW writes accounts that it knows. */
export function abbreviateSids(sddl: string): string {
  return sddl.replace(/S-1-[0-9-]+/g, (sid) => ALIASES.get(sid) ?? sid);
}

/** "SID Strings"; the last two are the machine's first administrator and its guest. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['S-1-5-18', 'SY'],
  ['S-1-5-19', 'LS'],
  ['S-1-5-20', 'NS'],
  ['S-1-5-32-544', 'BA'],
  ['S-1-5-21-1-2-3-500', 'LA'],
  ['S-1-5-21-1-2-3-501', 'LG'],
]);

/** GetCurrentProcess() is none of the fake's processes. */
const OWN_PID = 0;

function numberOf(argument: Win32Argument | undefined): number {
  return typeof argument?.value === 'number' ? argument.value : 0;
}

function bufferOf(argument: Win32Argument | undefined): Buffer {
  if (!(argument?.value instanceof Uint8Array)) throw new Error('internal: memory was expected');
  return Buffer.from(argument.value.buffer, argument.value.byteOffset, argument.value.length);
}
