import { fstatSync, writeSync } from 'node:fs';

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
const modeReset =
  '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[<u\x1b7\x1b[?1049l\x1b[<u\x1b[?25h\x1b[0m';

/** True if a descriptor is a terminal. node:tty would load node:net. */
function isTerminal(fd: number): boolean {
  try {
    if (!fstatSync(fd).isCharacterDevice()) return false;
    return process.getBuiltinModule('node:tty').isatty(fd);
  } catch {
    return false;
  }
}
