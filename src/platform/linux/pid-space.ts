import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

/** The pids in use and the one given out last: what a chase of fast forkers looks at. Close it when done. */
export interface PidSpace {
  /** Every pid in use, highest first. */
  list(): number[];
  /**
   * The pid given out last in our pid namespace; undefined where the kernel does not tell
   * (proc_sys_kernel(5) ns_last_pid needs CONFIG_CHECKPOINT_RESTORE).
   */
  last(): number | undefined;
  close(): void;
}

/** Opens the pid space of our own pid namespace. */
export function openPidSpace(procRoot = '/proc'): PidSpace {
  const buffer = Buffer.alloc(32);
  let fd = openLastPid(`${procRoot}/sys/kernel/ns_last_pid`);
  return {
    list: () => parsePids(readdirSync(procRoot)),
    last() {
      if (fd === undefined) return undefined;
      return parseLastPid(buffer.toString('latin1', 0, readSync(fd, buffer, 0, buffer.length, 0)));
    },
    close() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}

/** Numeric names, highest first. */
export function parsePids(names: readonly string[]): number[] {
  const pids: number[] = [];
  for (const name of names) {
    const first = name.charCodeAt(0);
    if (first >= 48 && first <= 57) pids.push(Number(name));
  }
  return pids.sort((a, b) => b - a);
}

export function parseLastPid(text: string): number | undefined {
  const pid = Number.parseInt(text, 10);
  return pid > 0 ? pid : undefined;
}

function openLastPid(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}
