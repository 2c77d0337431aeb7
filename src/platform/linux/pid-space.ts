import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

/** The pids in use and the one given out last: what a chase of fast forkers looks at. Close it when done. */
export interface PidSpace {
  /** Every pid in use, highest first. */
  list(): number[];
  /** The pid given out last in our pid namespace; undefined where the kernel does not tell. */
  last(): number | undefined;
  close(): void;
}

/**
 * Opens the pid space of our own pid namespace. The pid given out last is that of ns_last_pid, a kernel option
 * (CONFIG_CHECKPOINT_RESTORE), else the last field of loadavg; proc_sys_kernel(5), proc_loadavg(5).
 */
export function openPidSpace(procRoot = '/proc'): PidSpace {
  const buffer = Buffer.alloc(128);
  let fd = openFirst([`${procRoot}/sys/kernel/ns_last_pid`, `${procRoot}/loadavg`]);
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

/** The last number of ns_last_pid or loadavg. */
export function parseLastPid(text: string): number | undefined {
  const pid = Number(/(?:^|\s)(\d+)\s*$/.exec(text)?.[1]);
  return pid > 0 ? pid : undefined;
}

function openFirst(paths: readonly string[]): number | undefined {
  for (const path of paths) {
    try {
      return openSync(path, 'r');
    } catch {
      // Not on this kernel, or not for us.
    }
  }
  return undefined;
}
