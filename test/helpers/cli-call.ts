import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { assertResult, type Expected } from './cli-expect.ts';
import { type CliResult, RunningCli, type StartOptions } from './running-cli.ts';

/**
 * One call of a program, declared step by step: arguments, environment, stdin and files in; stdout, stderr and status
 * out. What is not declared must be empty, and the status 0.
 *
 *     await rig.agentmux('blocks', '--block', 'nope').stderr(/no block "nope"/).status(3).run();
 */
export class CliCall {
  readonly #argv: readonly string[];
  readonly #start: { env: Record<string, string>; cwd: string; stdin: string | Uint8Array };
  readonly #expected: { -readonly [K in keyof Expected]: Expected[K] } = { stdout: '', stderr: '', status: 0 };

  constructor(argv: readonly string[], { env, cwd }: { env: Record<string, string>; cwd: string }) {
    this.#argv = argv;
    this.#start = { env: { ...env }, cwd, stdin: '' };
  }

  /** Sets a variable, or with undefined removes it. */
  env(name: string, value: string | undefined): this {
    if (value === undefined) delete this.#start.env[name];
    else this.#start.env[name] = value;
    return this;
  }

  stdin(contents: string | Uint8Array): this {
    this.#start.stdin = contents;
    return this;
  }

  cwd(path: string): this {
    this.#start.cwd = path;
    return this;
  }

  /** Writes a file below the working directory before the start. */
  file(name: string, contents: string): this {
    const path = join(this.#start.cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
    return this;
  }

  /** Exact text, or a pattern; `anything` for what this test does not care about. */
  stdout(expected: string | RegExp): this {
    this.#expected.stdout = expected;
    return this;
  }

  stderr(expected: string | RegExp): this {
    this.#expected.stderr = expected;
    return this;
  }

  status(expected: number): this {
    this.#expected.status = expected;
    return this;
  }

  /** Declares a death by this signal. */
  signal(expected: NodeJS.Signals): this {
    this.#expected.status = expected;
    return this;
  }

  /** Runs it to its end and checks all that was declared. */
  async run(capMs = 30_000): Promise<CliResult> {
    const result = await this.start().ended(capMs);
    assertResult(this.#argv, result, this.#expected);
    return result;
  }

  /** Runs it and parses its standard output as one JSON document. */
  async json<T = unknown>(capMs?: number): Promise<T> {
    const { stdout } = await this.stdout(anything).run(capMs);
    return JSON.parse(stdout) as T;
  }

  /** Starts it and leaves it running; nothing is checked. */
  start(options: StartOptions = {}): RunningCli {
    return new RunningCli(this.#argv, { ...this.#start, ...options });
  }
}

/** Matches any output. */
export const anything = /[\s\S]*/;
