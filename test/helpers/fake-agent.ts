import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { waitFor } from './wait-for.ts';

/** A real process of the test's, steered from it; start `argv` with whatever is under test. */
export interface FakeAgent {
  readonly argv: readonly string[];
  /** Waits for the next start of the agent to report for duty. */
  connected(): Promise<FakeAgentSession>;
}

export interface Inspection {
  readonly pid: number;
  readonly ppid: number;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly isTTY: readonly boolean[];
}

/** One run of the fake agent. Each order resolves when it has been carried out. */
export class FakeAgentSession {
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

  /** Starts `bash -c command` in a session of its own, as a tool call; resolves to its pid. */
  async startTool(command: string, { inherit = false } = {}): Promise<number> {
    return Number((await this.#order('tool', { command, inherit }))['pid']);
  }

  /** Starts a child in the agent's own session, as an MCP server; resolves to its pid. */
  async startPlumbing(...argv: string[]): Promise<number> {
    return Number((await this.#order('plumbing', { argv }))['pid']);
  }

  async ignore(signal: NodeJS.Signals): Promise<void> {
    await this.#order('ignore', { signal });
  }

  async setTitle(text: string): Promise<void> {
    await this.#order('title', { text });
  }

  /** Makes it exit; the wrapper's end tells when it has. */
  exit(code: number): void {
    this.#send(0, 'exit', { code });
  }

  /** Makes it die by a signal. */
  die(signal: NodeJS.Signals): void {
    this.#send(0, 'die', { signal });
  }

  async #order(order: string, facts: object = {}): Promise<Record<string, unknown>> {
    const id = ++this.#orders;
    const answered = new Promise<Record<string, unknown>>((resolve) => this.#waiting.set(id, resolve));
    this.#send(id, order, facts);
    let answer: Record<string, unknown> | undefined;
    void answered.then((value) => {
      answer = value;
    });
    const result = await waitFor(`the fake agent to answer "${order}"`, () => answer);
    if (result['error'] !== undefined) throw new Error(`fake agent: ${order}: ${result['error']}`);
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

/** What a tool command is to look like that no walk and no environment can find: a daemon with nothing but its body. */
export function daemonCommand(body: string): string {
  return `(setsid env -i /bin/sh -c 'cd /; ${body} & exit 0' >/dev/null 2>&1 </dev/null &)`;
}

/** Opens the socket that the agent connects back to; closed when the test has finished, which also ends the agent. */
export async function createFakeAgent(): Promise<FakeAgent> {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-agent-'));
  const path = join(directory, 'socket');
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
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    argv: [process.execPath, resolve('test/fixtures/fake-agent.mjs'), path],
    connected: async () => new FakeAgentSession(await waitFor('the fake agent to connect', () => arrivals.shift())),
  };
}
