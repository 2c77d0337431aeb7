/**
 * What makes a process the same process: its pid, its start time in raw kernel units, the boot and the pid namespace
 * in which both were read. A pid alone is never an identity.
 */
export interface Identity {
  readonly pid: number;
  /** Raw start time: clock ticks since boot on Linux (proc_pid_stat(5), field 22). Compared, never shown as a time. */
  readonly startTicks: number;
  /** `/proc/sys/kernel/random/boot_id`, or the system's equivalent. */
  readonly bootId: string;
  /** Inode of the pid namespace, e.g. `4026531836`; empty where there is none. */
  readonly pidNamespace: string;
}

/** Where an identity can be compared: records of another host or namespace are shown, never signalled, never pruned. */
export interface HostIdentity {
  readonly machineId: string;
  readonly bootId: string;
  readonly pidNamespace: string;
}

/** True if both name the same process. */
export function sameIdentity(a: Identity, b: Identity): boolean {
  return a.pid === b.pid && a.startTicks === b.startTicks && a.bootId === b.bootId && a.pidNamespace === b.pidNamespace;
}

/** `pid:starttime`, what `-q` prints and `kill` accepts. */
export function formatIdentity(identity: Pick<Identity, 'pid' | 'startTicks'>): string {
  return `${identity.pid}:${identity.startTicks}`;
}
