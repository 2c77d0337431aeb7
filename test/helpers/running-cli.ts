import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { endProcess } from './processes.ts';
import { waitFor } from './wait-for.ts';

export interface CliResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: Buffer;
  /** Exit code, or the name of the signal that ended it. */
  readonly status: number | NodeJS.Signals;
}

export interface StartOptions {
  /** In a session of its own. */
  readonly detached?: boolean;
  /** Keeps stdin open instead of closing it after what was declared. */
  readonly keepStdin?: boolean;
  readonly stdio?: StdioOptions;
}

interface CallOptions extends StartOptions {
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly stdin: string | Uint8Array;
}

/** A program under test while it runs. */
export class RunningCli {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly #stdout: Buffer[] = [];
  readonly #stderr: Buffer[] = [];
  readonly #closed: Promise<unknown[]>;

  constructor(argv: readonly string[], options: CallOptions) {
    const { stdin, keepStdin = false, ...spawnOptions } = options;
    const [command = '', ...args] = argv;
    this.child = spawn(command, args, { stdio: 'pipe', ...spawnOptions });
    this.#closed = once(this.child, 'close');
    this.pid = this.child.pid ?? fail(`could not start ${command}`);
    onTestFinished(() => this.#end());
    this.child.stdout?.on('data', (chunk: Buffer) => this.#stdout.push(chunk));
    this.child.stderr?.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    this.child.stdin?.on('error', () => {}); // it may end without having read all
    if (keepStdin) this.child.stdin?.write(stdin);
    else this.child.stdin?.end(stdin);
  }

  /** What it has written so far. */
  get stdout(): string {
    return Buffer.concat(this.#stdout).toString();
  }

  get stderr(): string {
    return Buffer.concat(this.#stderr).toString();
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits until its output matches, and returns the match. */
  seen(pattern: RegExp, stream: 'stdout' | 'stderr' = 'stdout', capMs?: number): Promise<RegExpExecArray> {
    return waitFor(`${pattern} on ${stream} of pid ${this.pid}`, () => pattern.exec(this[stream]), capMs);
  }

  /** Waits for its exit alone: what it left may still hold its pipes. */
  async exited(capMs = 30_000): Promise<number | NodeJS.Signals> {
    await waitFor(`the exit of pid ${this.pid}; stderr: ${this.stderr}`, () => this.#hasExited(), capMs);
    return this.#status();
  }

  /** Waits for its end, pipes included. */
  async ended(capMs = 30_000): Promise<CliResult> {
    let closed = false;
    void this.#closed.then(() => {
      closed = true;
    });
    await waitFor(`the end of ${this.child.spawnargs.join(' ')}`, () => closed, capMs).catch((error: Error) => {
      throw new Error(`${error.message}\nstdout: ${this.stdout}\nstderr: ${this.stderr}`);
    });
    return {
      stdout: this.stdout,
      stderr: this.stderr,
      stdoutBytes: Buffer.concat(this.#stdout),
      status: this.#status(),
    };
  }

  #hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  #status(): number | NodeJS.Signals {
    return this.child.signalCode ?? this.child.exitCode ?? fail('internal: it has not ended');
  }

  #end(): void {
    if (!this.#hasExited()) endProcess(this.pid);
    for (const stream of [this.child.stdin, this.child.stdout, this.child.stderr]) stream?.destroy();
  }
}

function fail(message: string): never {
  throw new Error(message);
}
