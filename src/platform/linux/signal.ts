import type { HostIdentity, Identity } from '../../model/identity.ts';
import { isGone } from '../../model/process.ts';
import type { SignalOutcome } from '../../model/signal.ts';
import type { KernelUnits } from './kernel-units.ts';
import { readLink } from './links.ts';
import { isRefusal } from './read-small.ts';
import { readStat } from './stat.ts';

/** What signalVerified must know of this system. */
export interface SignalScope {
  readonly procRoot: string;
  readonly units: KernelUnits;
  readonly host: HostIdentity;
}

/**
 * Signals a process if it still is that process: pid and start time are read again right before kill(2), so the window
 * in which the pid could change hands is microseconds. Zombies are `gone`. An identity of another pid namespace is
 * `denied`, one of another boot `gone`. Throws an internal error for pids that mean more than one process or init.
 */
export function signalVerified(identity: Identity, signal: NodeJS.Signals, scope: SignalScope): SignalOutcome {
  const { pid } = identity;
  if (!Number.isSafeInteger(pid) || pid <= 1) throw new Error(`internal: refused to signal pid ${pid}`);
  if (identity.bootId !== scope.host.bootId) return 'gone';
  if (identity.pidNamespace !== scope.host.pidNamespace || !isOurProcfs(scope.procRoot)) return 'denied';
  const stat = readStat(scope.procRoot, pid, scope.units);
  if (stat === undefined || isGone(stat) || stat.startTicks !== identity.startTicks) return 'gone';
  return send(pid, signal);
}

/**
 * True if this procfs counts pids as kill(2) does. After `unshare --pid` without a new mount it shows those of the outer
 * namespace, and the same number is another process there.
 */
export function isOurProcfs(procRoot: string): boolean {
  return readLink(`${procRoot}/self`) === String(process.pid);
}

function send(pid: number, signal: NodeJS.Signals): SignalOutcome {
  try {
    process.kill(pid, signal);
    return 'sent';
  } catch (error) {
    if (isRefusal(error)) return 'denied';
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return 'gone';
    throw error;
  }
}
