import { closeSync } from 'node:fs';
import type { ProcessStat } from '../../model/process.ts';

/**
 * What becomes of the terminal when we leave. Node saved its settings before any line of ours ran, and restores them in
 * an exit handler, whatever the agent wanted. So the question is not how to restore but when: after a death by a signal
 * it is right (raw mode, mouse reports and the alternate screen would stay), after a normal end it would undo what the
 * agent was started for (`agentmux-run stty -echo`), and in the background it would disturb whoever has the terminal.
 */
type OwnStat = Pick<ProcessStat, 'pgid' | 'tpgid' | 'ttyNr'>;

/** True if the terminal's foreground group is ours, or that of the live agent. */
export function ownsTerminal(own: OwnStat | undefined, agentPgid: number): boolean {
  return own !== undefined && own.ttyNr !== 0 && (own.tpgid === own.pgid || own.tpgid === agentPgid);
}

/** The same after the agent's end: its group, if it was the foreground group, has nobody left. */
export function ownsTerminalAfterDeath(own: OwnStat | undefined): boolean {
  if (own === undefined || own.ttyNr === 0) return false;
  return own.tpgid === own.pgid || (own.tpgid > 1 && isGroupGone(own.tpgid));
}

function isGroupGone(pgid: number): boolean {
  try {
    process.kill(-pgid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Keeps Node from restoring the terminal at exit: its handler passes over descriptors that are closed. */
export function leaveTerminalAsItIs(): void {
  for (const fd of [0, 1, 2]) {
    try {
      closeSync(fd);
    } catch {
      // Closed already.
    }
  }
}
