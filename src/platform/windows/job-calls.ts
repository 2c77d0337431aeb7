import {
  i32,
  memory,
  nullPointer,
  pointer,
  u32,
  type Win32,
  type Win32Argument,
  Win32Code,
  Win32Error,
  wide,
} from './ffi-call.ts';

/** Rights on a job (winnt.h, "Job Object Security and Access Rights"). */
export const JobAccess = {
  assign: 0x1,
  setAttributes: 0x2,
  query: 0x4,
  terminate: 0x8,
  readControl: 0x20000,
  synchronize: 0x100000,
  all: 0x1f001f,
} as const;

/** Limits of a job that we use (JOBOBJECT_BASIC_LIMIT_INFORMATION, LimitFlags). */
export const JobLimit = {
  priorityClass: 0x20,
  breakawayOk: 0x800,
  silentBreakawayOk: 0x1000,
  killOnClose: 0x2000,
} as const;

/** Priority classes (SetPriorityClass). */
export const PriorityClass = { normal: 0x20, belowNormal: 0x4000 } as const;

/**
 * Creates a job of that name, or opens the one that has it already: `existed`, and then it may be anybody's.
 * `security` is a SECURITY_ATTRIBUTES of security.ts. Throws Win32Error.
 */
export function createJob(
  win32: Win32,
  name: string | undefined,
  security?: Uint8Array,
): { readonly handle: number; readonly existed: boolean } {
  const { value, error } = win32.call(
    'kernel32',
    'CreateJobObjectW',
    'I64',
    security === undefined ? nullPointer : memory(security),
    name === undefined ? nullPointer : wide(name),
  );
  if (value === 0) throw new Win32Error('CreateJobObjectW', error);
  return { handle: value, existed: error === Win32Code.alreadyExists };
}

/** Opens a job by its name; undefined if there is none of that name. Throws Win32Error, code 5 if it is not ours. */
export function openJob(win32: Win32, name: string, access: number): number | undefined {
  const { value, error } = win32.call('kernel32', 'OpenJobObjectW', 'I64', u32(access), i32(0), wide(name));
  if (value !== 0) return value;
  if (error === Win32Code.fileNotFound) return undefined;
  throw new Win32Error('OpenJobObjectW', error);
}

/** Puts a running process into a job (rights PROCESS_SET_QUOTA and PROCESS_TERMINATE). Throws Win32Error. */
export function assignToJob(win32: Win32, job: number, process: number): void {
  must(win32, 'AssignProcessToJobObject', pointer(job), pointer(process));
}

/** Pids of all members, those of nested jobs too, in no particular order. Throws Win32Error. */
export function readJobPids(win32: Win32, job: number): number[] {
  for (let room = FIRST_ROOM; ; room *= 4) {
    const list = Buffer.alloc(LIST_HEADER + 8 * room);
    const error = query(win32, job, InfoClass.processIds, list);
    if (error === Win32Code.moreData && room < MAX_ROOM) continue;
    if (error !== 0) throw new Win32Error('QueryInformationJobObject', error);
    const count = Math.min(list.readUInt32LE(4), room);
    return Array.from({ length: count }, (_, i) => Number(list.readBigUInt64LE(LIST_HEADER + 8 * i)));
  }
}

export interface JobAccounting {
  /** User and system time of all members, exited ones included, ns. */
  readonly cpuNs: number;
  /** Processes that ever were members. */
  readonly totalProcesses: number;
  readonly activeProcesses: number;
}

/** What all members used, nested jobs included. Throws Win32Error. */
export function readJobAccounting(win32: Win32, job: number): JobAccounting {
  const info = Buffer.alloc(48);
  const error = query(win32, job, InfoClass.accounting, info);
  if (error !== 0) throw new Win32Error('QueryInformationJobObject', error);
  const ticks = Number(info.readBigInt64LE(0)) + Number(info.readBigInt64LE(8));
  return { cpuNs: ticks * 100, totalProcesses: info.readUInt32LE(36), activeProcesses: info.readUInt32LE(40) };
}

export interface JobLimits {
  /** JobLimit, together. */
  readonly flags: number;
  /** Counts with JobLimit.priorityClass. */
  readonly priorityClass?: number;
}

/** Replaces all limits of the job: a flag that is not named is cleared. Throws Win32Error. */
export function setJobLimits(win32: Win32, job: number, limits: JobLimits): void {
  const info = Buffer.alloc(EXTENDED_LIMITS);
  info.writeUInt32LE(limits.flags, 16);
  info.writeUInt32LE(limits.priorityClass ?? 0, 56);
  must(win32, 'SetInformationJobObject', pointer(job), i32(InfoClass.extendedLimits), memory(info), u32(info.length));
}

/** Limits of a job, or of the innermost one that this process is in. Throws Win32Error. */
export function readJobLimits(win32: Win32, job: number | undefined): Required<JobLimits> {
  const info = Buffer.alloc(EXTENDED_LIMITS);
  const error = query(win32, job ?? 0, InfoClass.extendedLimits, info);
  if (error !== 0) throw new Win32Error('QueryInformationJobObject', error);
  return { flags: info.readUInt32LE(16), priorityClass: info.readUInt32LE(56) };
}

/** Ends every member, those of nested jobs too, with that exit code. Throws Win32Error. */
export function terminateJob(win32: Win32, job: number, exitCode: number): void {
  must(win32, 'TerminateJobObject', pointer(job), u32(exitCode));
}

/** Whether a process (by a handle of ours) is in that job, or in any job. Throws Win32Error. */
export function isInJob(win32: Win32, process: number, job: number | undefined): boolean {
  const answer = Buffer.alloc(4);
  must(win32, 'IsProcessInJob', pointer(process), pointer(job ?? 0), memory(answer));
  return answer.readInt32LE(0) !== 0;
}

/** JOBOBJECTINFOCLASS. */
const InfoClass = { accounting: 1, processIds: 3, extendedLimits: 9 } as const;
const EXTENDED_LIMITS = 144;
/** JOBOBJECT_BASIC_PROCESS_ID_LIST: assigned and listed, 32 bits each, then words of 64 bits. */
const LIST_HEADER = 8;
const FIRST_ROOM = 64;
const MAX_ROOM = 1 << 20;

/** 0, or the error code. */
function query(win32: Win32, job: number, infoClass: number, info: Buffer): number {
  const { value, error } = win32.call(
    'kernel32',
    'QueryInformationJobObject',
    'I32',
    pointer(job),
    i32(infoClass),
    memory(info),
    u32(info.length),
    nullPointer,
  );
  return value === 0 ? error : 0;
}

function must(win32: Win32, name: string, ...args: readonly Win32Argument[]): void {
  const { value, error } = win32.call('kernel32', name, 'I32', ...args);
  if (value === 0) throw new Win32Error(name, error);
}
