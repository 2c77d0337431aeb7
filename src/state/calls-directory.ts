import fs from 'node:fs';
import path from 'node:path';

/** The directory of a block's records of tool calls, the value of AGENTMUX_CALLS in its run. */
export function callsDirectoryOf(stateDirectory: string, blockId: string): string {
  return path.join(stateDirectory, 'calls', blockId);
}

/** Removes it with all that it holds. Best effort, never throws. */
export function removeCallsDirectory(stateDirectory: string, blockId: string): void {
  try {
    fs.rmSync(callsDirectoryOf(stateDirectory, blockId), { recursive: true, force: true });
  } catch {
    // Not ours to remove.
  }
}
