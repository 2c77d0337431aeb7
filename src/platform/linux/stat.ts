import type { ProcessStat } from '../../model/process.ts';
import type { KernelUnits } from './kernel-units.ts';
import { readSmall } from './read-small.ts';

/** Reads the status line of a process; undefined if there is none or it may not be seen. */
export function readStat(procRoot: string, pid: number, units: KernelUnits): ProcessStat | undefined {
  const bytes = readSmall(`${procRoot}/${pid}/stat`);
  return bytes && parseStat(bytes, units);
}

/** As readStat, but undefined for kernel threads as well. */
export function readUserStat(procRoot: string, pid: number | string, units: KernelUnits): ProcessStat | undefined {
  const bytes = readSmall(`${procRoot}/${pid}/stat`);
  return bytes && !isKernelThread(bytes) ? parseStat(bytes, units) : undefined;
}

/**
 * Parses a line of proc_pid_stat(5); undefined if it is none. The name in parentheses may hold anything, blanks,
 * newlines and parentheses included, so it ends at the last `)`: all fields behind it are a letter and numbers.
 */
export function parseStat(bytes: Buffer, units: KernelUnits): ProcessStat | undefined {
  const open = bytes.indexOf(PAREN_OPEN);
  const close = bytes.lastIndexOf(PAREN_CLOSE);
  if (open < 1 || close < open || close + 2 >= bytes.length) return undefined;
  const fields = new Fields(bytes, close + 4);
  const ppid = fields.next();
  const pgid = fields.next();
  const sid = fields.next();
  const ttyNr = fields.next();
  const tpgid = fields.next();
  fields.skip(5); // flags, minflt, cminflt, majflt, cmajflt
  const cpuTicks = fields.next() + fields.next();
  fields.skip(6); // cutime, cstime, priority, nice, num_threads, itrealvalue
  const startTicks = fields.next();
  fields.skip(1); // vsize
  const pages = fields.next();
  const pid = new Fields(bytes, 0).next();
  if (fields.failed || !(pid >= 0)) return undefined;
  return {
    pid,
    ppid,
    pgid,
    sid,
    ttyNr,
    tpgid,
    startTicks,
    state: String.fromCharCode(bytes[close + 2] ?? 0),
    cpuMs: (cpuTicks * 1000) / units.ticksPerSecond,
    rssBytes: pages * units.pageBytes,
    comm: bytes.toString('utf8', open + 1, close),
  };
}

/** True if the line is that of a kernel thread: PF_KTHREAD (include/linux/sched.h) in the flags, field 9. */
export function isKernelThread(bytes: Buffer): boolean {
  const fields = new Fields(bytes, bytes.lastIndexOf(PAREN_CLOSE) + 4);
  fields.skip(5);
  const flags = fields.next();
  // Division, because the flags are 32 bits wide and a shift would make them negative.
  return !fields.failed && Math.floor(flags / PF_KTHREAD) % 2 === 1;
}

const PF_KTHREAD = 0x200000;
const BLANK = 0x20;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const PAREN_OPEN = 0x28;
const PAREN_CLOSE = 0x29;

/** A cursor over decimal numbers that are separated by one blank each. */
class Fields {
  failed = false;
  private readonly bytes: Buffer;
  private at: number;

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  skip(count: number): void {
    for (let skipped = 0; skipped < count; skipped += 1) {
      while (this.at < this.bytes.length && this.bytes[this.at] !== BLANK) this.at += 1;
      this.at += 1;
    }
  }

  next(): number {
    const { bytes } = this;
    const negative = bytes[this.at] === MINUS;
    if (negative) this.at += 1;
    const first = this.at;
    let value = 0;
    let byte = bytes[first] ?? BLANK;
    while (byte >= DIGIT_0 && byte <= DIGIT_9) {
      value = value * 10 + (byte - DIGIT_0);
      this.at += 1;
      byte = bytes[this.at] ?? BLANK;
    }
    if (this.at === first) this.failed = true;
    this.at += 1;
    return negative ? -value : value;
  }
}
