import { constants, setPriority } from 'node:os';

/**
 * Lowers (nice 10) or restores (nice 0) the priority of the processes; false if the system refused one that lives.
 * Restoring needs a privilege on Linux (setpriority(2), RLIMIT_NICE).
 */
export function setNiceness(pids: readonly number[], below: boolean): boolean {
  let ok = true;
  for (const pid of pids) {
    try {
      setPriority(pid, below ? constants.priority.PRIORITY_BELOW_NORMAL : constants.priority.PRIORITY_NORMAL);
    } catch (error) {
      if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') ok = false;
    }
  }
  return ok;
}
