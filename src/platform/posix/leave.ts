import { restoreTerminalNow } from '../linux/restore-terminal.ts';
import { resetModes } from '../reset-terminal.ts';
import type { Ending, Leaving } from '../starter.ts';
import { leaveTerminalAsItIs, ownsTerminalAfterDeath } from './terminal.ts';

/**
 * Leaves the terminal as it must be, and us by a signal if that is how. Returns the exit code otherwise; no handler for
 * INT and TERM may be installed any more.
 */
export function leave(leaving: Leaving, { status, platform, ownPid }: Ending): number {
  const isRestored = status?.type === 'signal' && ownsTerminalAfterDeath(platform.readStat(ownPid));
  if (isRestored) resetModes();
  // A death by a signal skips Node's exit handlers, which would restore the terminal.
  if (leaving.type === 'signal' && (!isRestored || restoreTerminalNow())) process.kill(process.pid, leaving.signal);
  if (!isRestored) leaveTerminalAsItIs();
  return leaving.code;
}
