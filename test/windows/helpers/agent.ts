import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { waitFor } from '../../helpers/wait-for.ts';
import { descendants, endProcess, isAlive } from './look.ts';

/** A real process of the test's, steered from it; start `argv` with whatever is under test. */
export interface WindowsAgent {
  readonly argv: readonly string[];
  /** Waits for the next start of the agent to report for duty. */
  connected(): Promise<AgentSession>;
}

export interface Inspection {
  readonly pid: number;
  readonly ppid: number;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly isTTY: readonly boolean[];
}

export interface StartOptions {
  /** As libuv means it: a process group of its own, no console, not in its job. */
  readonly detached?: boolean;
  /** Arguments as they are, with no quotes added. */
  readonly verbatim?: boolean;
  /** Instead of the agent's. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly output?: 'ignore' | 'inherit';
}

/** Longest wait for anything: a start can take seconds where the machine is busy. */
export const capMs = 60_000;

/** A program that only lives; light beside a Node. */
export const sleeper = ['ping', '-n', '1000', '127.0.0.1'] as const;

/** One run of the agent. Each order resolves when it has been carried out. */
export class AgentSession {
  readonly #socket: net.Socket;
  readonly #waiting = new Map<number, (answer: Record<string, unknown>) => void>();
  #orders = 0;

  constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on('error', () => {}); // it died by order, or was killed
    createInterface({ input: socket })
      .on('line', (line) => this.#receive(line))
      .on('error', () => {});
  }

  /** What the agent finds itself to be. */
  async inspect(): Promise<Inspection> {
    return (await this.#order('inspect')) as unknown as Inspection;
  }

  async print(text: string, stream: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    await this.#order('print', { text, fd: stream === 'stdout' ? 1 : 2 });
  }

  /** Starts a child of the agent; resolves to its pid. */
  async start(argv: readonly string[], options: StartOptions = {}): Promise<number> {
    return watch(Number((await this.#order('start', { argv, ...options }))['pid']));
  }

  /** Starts `cmd.exe` with a command line, as a tool call; resolves to its pid. */
  startTool(command: string, options: StartOptions = {}): Promise<number> {
    return this.start(['cmd.exe', '/d', '/s', '/c', `"${command}"`], { verbatim: true, ...options });
  }

  /** Starts a program whose maker ends; resolves to both pids. */
  async startOrphan(argv: readonly string[]): Promise<{ readonly pid: number; readonly maker: number }> {
    const { pid, maker } = await this.#order('orphan', { argv });
    return { pid: watch(Number(pid)), maker: Number(maker) };
  }

  /** Tries to start a child outside every job; resolves to its pid, or to the error that the system gave. */
  async breakAway(command: string): Promise<{ readonly pid?: number; readonly refused?: number }> {
    const answer = (await this.#order('breakaway', { command })) as { pid?: number; refused?: number };
    if (answer.pid !== undefined) watch(answer.pid);
    return answer;
  }

  /** Makes it exit; the wrapper's end tells when it has. */
  exit(code: number): void {
    this.#send(0, 'exit', { code });
  }

  /** Makes it die with this status, as by an unhandled exception. */
  crash(code: number): void {
    this.#send(0, 'crash', { code });
  }

  async #order(order: string, facts: object = {}): Promise<Record<string, unknown>> {
    const id = ++this.#orders;
    let answer: Record<string, unknown> | undefined;
    this.#waiting.set(id, (value) => {
      answer = value;
    });
    this.#send(id, order, facts);
    const result = await waitFor(`the agent to answer "${order}"`, () => answer, capMs);
    if (result['error'] !== undefined) throw new Error(`agent: ${order}: ${result['error']}`);
    return result;
  }

  #send(id: number, order: string, facts: object): void {
    this.#socket.write(`${JSON.stringify({ id, order, ...facts })}\n`);
  }

  #receive(line: string): void {
    const answer = JSON.parse(line) as { id: number };
    this.#waiting.get(answer.id)?.({ ...answer });
    this.#waiting.delete(answer.id);
  }
}

/** Opens the pipe that the agent connects back to; closed when the test has finished, which also ends the agent. */
export async function createAgent(): Promise<WindowsAgent> {
  const path = `\\\\.\\pipe\\agentmux-test-${randomBytes(8).toString('hex')}`;
  const sessions: net.Socket[] = [];
  const arrivals: net.Socket[] = [];
  const server = net.createServer((socket) => {
    sessions.push(socket);
    arrivals.push(socket);
  });
  await new Promise<void>((done) => server.listen(path, done));
  onTestFinished(() => {
    server.close();
    for (const socket of sessions) socket.destroy();
  });
  return {
    argv: [process.execPath, resolve('test/windows/fixtures/agent.cjs'), path],
    connected: async () => new AgentSession(await waitFor('the agent to connect', () => arrivals.shift(), capMs)),
  };
}

/** Starts a process that has nothing to do with any block; resolves to its pid when it lives. */
export function startBystander(): number {
  const child = spawn(sleeper[0], sleeper.slice(1), { stdio: 'ignore', windowsHide: true });
  if (child.pid === undefined) throw new Error(`could not start ${sleeper[0]}`);
  return watch(child.pid);
}

/** Sees to it that neither the process nor what it started outlives the test. */
function watch(pid: number): number {
  onTestFinished(() => {
    for (const child of descendants(pid)) endProcess(child.pid);
    if (isAlive(pid)) endProcess(pid);
  });
  return pid;
}
