import { spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import type { Rig } from './cli.ts';
import type { CliCall } from './cli-call.ts';
import type { RunningCli } from './running-cli.ts';

/** True if a terminal can be made here; else skip with `ptyReason`. */
export const hasPty =
  spawnSync('python3', ['-c', 'import os, fcntl, termios, select, struct; os.forkpty']).status === 0;
export const ptyReason = 'needs python3 to make a terminal';

export interface TerminalSize {
  readonly columns?: number;
  readonly rows?: number;
}

/** A command on a terminal of its own: keys in, screen out. */
export class TerminalSession {
  readonly #running: RunningCli;

  constructor(call: CliCall) {
    this.#running = call.start({ keepStdin: true });
  }

  /** Pid of the process that holds the other end of the terminal; the command is its child. */
  get holderPid(): number {
    return this.#running.pid;
  }

  /** All that the screen got so far. */
  get screen(): string {
    return this.#running.stdout;
  }

  /** Types keys: `\x03` is Ctrl-C, `\x1a` Ctrl-Z, `\x1c` Ctrl-\. */
  type(keys: string): void {
    this.#running.child.stdin?.write(keys);
  }

  /** Waits until the screen matches. */
  seen(pattern: RegExp, capMs?: number): Promise<RegExpExecArray> {
    return this.#running.seen(pattern, 'stdout', capMs);
  }

  /** Hangs up, as a closed terminal window does. */
  hangUp(): void {
    this.#running.kill('SIGKILL');
  }

  /** Waits for the end of the command: its exit code, or the signal that ended it. */
  async ended(capMs = 30_000): Promise<number | NodeJS.Signals> {
    const [, status] = await this.#running.seen(/status (-?\d+)\n$/, 'stderr', capMs);
    return Number(status) < 0 ? signalName(-Number(status)) : Number(status);
  }
}

/** Starts a command of the rig on a terminal. */
export function startOnTerminal(rig: Rig, argv: readonly string[], size: TerminalSize = {}): TerminalSession {
  const { columns = 100, rows = 30 } = size;
  const driver = ['python3', resolve('test/fixtures/pty.py'), `${columns}`, `${rows}`] as const;
  return new TerminalSession(rig.command(...driver, ...argv).env('TERM', 'xterm'));
}

function signalName(number: number): NodeJS.Signals {
  const entry = Object.entries(constants.signals).find(([, value]) => value === number);
  if (entry === undefined) throw new Error(`internal: no signal ${number}`);
  return entry[0] as NodeJS.Signals;
}
