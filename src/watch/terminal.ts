import type { ScreenSize } from '../render/screen-types.ts';

/** The terminal of the view: keys in, frames out. */
export interface WatchTerminal {
  readonly size: ScreenSize;
  /** Takes the whole screen and every key. */
  enter(): void;
  /** Gives all of it back as it was; does nothing where nothing was taken. */
  leave(): void;
  write(text: string): void;
  onInput(listener: (text: string) => void): void;
  onResize(listener: () => void): void;
  /** Listens no more, so that the process can end. */
  close(): void;
}

/** The terminal on our standard input and output, both of which must be one. `write` is that of the output. */
export function openTerminal(write: (text: string) => void): WatchTerminal {
  const { stdin, stdout } = process;
  const listeners: { input?: (text: string) => void; resize?: () => void } = {};
  let isTaken = false;
  return {
    get size() {
      return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
    },
    enter() {
      if (isTaken) return;
      isTaken = true;
      // Off first: only then does libuv take down the settings that it gives back, which a shell may have changed.
      setRaw(false);
      setRaw(true);
      stdin.ref();
      stdin.resume();
      write(TAKE);
    },
    leave() {
      if (!isTaken) return;
      isTaken = false;
      write(GIVE_BACK);
      stdin.pause();
      setRaw(false);
    },
    write,
    onInput(listener) {
      stdin.setEncoding('utf8');
      listeners.input = listener;
      stdin.on('data', listener);
      stdin.on('error', ignore);
    },
    onResize(listener) {
      listeners.resize = listener;
      stdout.on('resize', listener);
    },
    close() {
      if (listeners.input !== undefined) stdin.off('data', listeners.input);
      if (listeners.resize !== undefined) stdout.off('resize', listeners.resize);
      stdin.pause();
      stdin.unref();
    },
  };

  /** A terminal that has gone (EIO) has no settings. */
  function setRaw(isRaw: boolean): void {
    try {
      stdin.setRawMode(isRaw);
    } catch {
      return;
    }
  }
}

// xterm's private modes: 1049 the other screen, 25 the cursor, 7 wrapping at the right edge, 2004 marks around pastes,
// without which pasted text would be taken for keys.
const TAKE = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h';
const GIVE_BACK = '\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[0m\x1b[?25h\x1b[?1049l';

function ignore(): void {}
