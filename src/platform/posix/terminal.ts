import { closeSync, fstatSync, writeSync } from 'node:fs';
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

/**
 * Ends the modes that a full-screen agent leaves on: mouse reports, bracketed paste, the kitty keyboard protocol, the
 * alternate screen, a hidden cursor, colours. Written to the terminal that is our output; to nothing else.
 */
export function resetModes(): void {
  for (const fd of [1, 2]) {
    if (!isTerminal(fd)) continue;
    try {
      writeSync(fd, modeReset);
    } catch {
      // The terminal has gone (EIO), or does not take it now: nothing to repair.
    }
    return;
  }
}

/**
 * xterm's control sequences (DECRST 1000-1006, 2004, 1049; DECTCEM) and kitty's keyboard protocol. The keyboard stack is
 * popped on the alternate screen, which has its own, and again on the main one. 1049 off also restores the cursor that
 * was saved, so it is saved first (DECSC): without an alternate screen it would jump to the corner.
 */
export const modeReset =
  '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[<u\x1b7\x1b[?1049l\x1b[<u\x1b[?25h\x1b[0m';

/** True if a descriptor is a terminal. node:tty would load node:net. */
export function isTerminal(fd: number): boolean {
  try {
    if (!fstatSync(fd).isCharacterDevice()) return false;
    return process.getBuiltinModule('node:tty').isatty(fd);
  } catch {
    return false;
  }
}
