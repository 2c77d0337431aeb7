import { fstatSync, writeSync } from 'node:fs';
import type { Output } from './context.ts';
import { AgentmuxError } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A standard stream as a sink of bytes: written at once, whole, however slow its reader is; what comes after the reader
 * has gone is dropped in silence. What stdout cannot take otherwise (a full disk) throws AgentmuxError; stderr drops it,
 * since talk must not stop the work that it is about. `process.stdout` is not touched: making it costs a start 5 %, and
 * on a pipe it loses what is unwritten when the process ends.
 */
export function createNodeOutput(fd: 1 | 2, env: Environment, { isWindows = false } = {}): Output {
  const writeOut = isWindows ? createConsoleWriter(fd) : writeAll;
  let isOpen = true;
  let isTTY: boolean | undefined;
  return {
    write(text) {
      if (!isOpen || text === '') return;
      try {
        isOpen = writeOut(fd, text);
      } catch (error) {
        if (fd === 1) throw error;
      }
    },
    get isOpen() {
      return isOpen;
    },
    get isTTY() {
      isTTY ??= isTerminal(fd, isWindows);
      return isTTY;
    },
    get columns() {
      return this.isTTY ? readColumns(fd, env) : undefined;
    },
    get colorLevel() {
      return selectColorLevel(env, () => this.isTTY);
    },
  };
}

/**
 * Colours of a stream: none under NO_COLOR (if not empty, no-color.org) or `TERM=dumb` or off a terminal, unless
 * FORCE_COLOR or CLICOLOR_FORCE ask for them.
 */
export function selectColorLevel(env: Environment, isTTY: () => boolean): 0 | 1 | 2 | 3 {
  if (env['NO_COLOR']) return 0;
  const forced = env['FORCE_COLOR'];
  if (forced === '0' || forced === 'false') return 0;
  if (forced === '2') return 2;
  if (forced === '3') return 3;
  const isForced = forced !== undefined || (env['CLICOLOR_FORCE'] ?? '0') !== '0';
  if (!isForced && (env['TERM'] === 'dumb' || !isTTY())) return 0;
  if (/^(truecolor|24bit)$/.test(env['COLORTERM'] ?? '')) return 3;
  return /-256(color)?$/.test(env['TERM'] ?? '') ? 2 : 1;
}

const RETRY_MS = 5;

/** False once the reader has gone. */
function writeAll(fd: number, text: string): boolean {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // EIO: the terminal has gone.
      if (code === 'EPIPE' || code === 'EIO') return false;
      if (code !== 'EAGAIN') {
        throw new AgentmuxError('failed', `cannot write the output: ${code}`, { code: 'output', cause: error });
      }
      // A pipe that another process made non-blocking is full.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
  return true;
}

/**
 * A console of Windows takes text; bytes it would read in a code page of its own. Node writes to it at once, as to a
 * file (tty.WriteStream makes it blocking), and has it understand colours.
 */
function createConsoleWriter(fd: 1 | 2): typeof writeAll {
  let stream: NodeJS.WriteStream | undefined;
  let isOpen = true;
  return (_, text) => {
    if (!isTerminal(fd, true)) return writeAll(fd, text);
    if (stream === undefined) {
      stream = fd === 1 ? process.stdout : process.stderr;
      stream.on('error', () => {
        isOpen = false;
      });
    }
    stream.write(text);
    return isOpen;
  };
}

function isTerminal(fd: number, isWindows: boolean): boolean {
  // node:tty loads node:net: asked only of what can be a terminal at all. Windows cannot tell that of a console.
  try {
    return (isWindows || fstatSync(fd).isCharacterDevice()) && process.getBuiltinModule('node:tty').isatty(fd);
  } catch {
    return false;
  }
}

const DEFAULT_COLUMNS = 80;

function readColumns(fd: 1 | 2, env: Environment): number {
  const measured = (fd === 1 ? process.stdout : process.stderr).columns;
  const told = Number(env['COLUMNS']);
  return measured || (Number.isInteger(told) && told > 0 ? told : DEFAULT_COLUMNS);
}
