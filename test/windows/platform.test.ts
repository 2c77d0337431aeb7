import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { Identity } from '../../src/model/identity.ts';
import { parseCommandLine } from '../../src/platform/windows/command-line.ts';
import { memory, pointer, wide, win32 } from '../../src/platform/windows/ffi-call.ts';
import { ProcessRight, withProcess } from '../../src/platform/windows/process-calls.ts';
import { readSystemProcesses } from '../../src/platform/windows/system-processes.ts';
import { readToolhelp } from '../../src/platform/windows/toolhelp.ts';
import { createWindowsPlatform } from '../../src/platform/windows/windows-platform.ts';
import { describeIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { capMs } from './helpers/agent.ts';
import { isAlive, listProcesses, startedAt } from './helpers/look.ts';

const isWindows = process.platform === 'win32';

describeIf(isWindows, 'needs Windows', 'the processes of Windows', () => {
  const platform = isWindows ? createWindowsPlatform() : undefined;

  it('are those that Toolhelp shows, each with its own start and CPU time, without a call for each', async () => {
    const { pid } = await startBusy();
    const earlier = listPids();
    const before = win32.count;
    const table = get().readTable();
    // One call and the address of its answer; Wine may fail once.
    expect(win32.count - before).toBeLessThanOrEqual(3);
    // Others start and end processes meanwhile.
    const later = listPids();
    const pids = new Set(table.map((one) => one.pid));
    expect([...earlier].filter((one) => later.has(one) && !pids.has(one))).toEqual([]);
    expect([...pids].filter((one) => !earlier.has(one) && !later.has(one))).toEqual([]);
    const stat = table.find((one) => one.pid === pid);
    expect(stat).toMatchObject({ ppid: process.pid, comm: 'node.exe', sid: 0, pgid: 0, ttyNr: 0 });
    expect(stat?.startTicks).toBe(Number(((startedAt(pid) ?? 0n) - 116_444_736_000_000_000n) / 10n));
    expect(stat?.cpuMs).toBeGreaterThan(300);
    expect(
      get()
        .readTable()
        .find((one) => one.pid === pid)?.startTicks,
    ).toBe(get().readStat(pid)?.startTicks);
    const ours = [process.pid, pid];
    expect(withoutCpu(readToolhelp(win32), ours)).toEqual(withoutCpu(readSystemProcesses(win32), ours));
  });

  it('tell what they were started with', async () => {
    const words = ['a b', 'c"d', 'e\\', 'f\\"', '', 'ü€😀', '%PATH%', "'"];
    const env = { ...process.env, AGENTMUX_TAG: 'a-tag', agentmux_call: 'call' };
    const { pid } = await startNode('process.stdout.write("up"); setInterval(() => {}, 1000)', words, {
      env,
      cwd: 'C:\\',
    });
    expect(get().readDetails(pid, { argv: true, exe: true, cwd: true, status: true })).toMatchObject({
      argv: expect.arrayContaining(words),
      exe: expect.stringMatching(/\\node\.exe$/i),
      cwd: 'C:\\',
      uid: undefined,
      privateBytes: expect.any(Number),
    });
    expect(get().readDetails(pid, { argv: true }).argv?.slice(-words.length)).toEqual(words);
    expect(get().findTag(pid, new Set(['other', 'a-tag']))).toBe('a-tag');
    expect(get().findTag(process.pid, new Set(['a-tag']))).toBeUndefined();
    expect(get().readVariables(pid, new Set(['AGENTMUX_CALL']))).toEqual(new Map([['AGENTMUX_CALL', 'call']]));
    expect(get().children(process.pid)).toContain(pid);
  });

  it('own their listening ports, v4 and v6', async () => {
    const ports = await Promise.all(['127.0.0.1', '::1'].map(listen));
    const found = get().readListeners([process.pid]).byPid.get(process.pid);
    expect(found).toEqual(
      expect.arrayContaining([
        { protocol: 'tcp', address: '127.0.0.1', port: ports[0] },
        { protocol: 'tcp6', address: '::1', port: ports[1] },
      ]),
    );
    const open = get()
      .readOpenPorts()
      .find(({ port }) => port === ports[0]);
    expect(open).toMatchObject({ pids: [process.pid], otherNamespace: false });
  });

  it('are ended only if they are the very process, and have gone then though somebody holds a handle', async () => {
    const { pid, child } = await startNode('process.stdout.write("up"); setInterval(() => {}, 1000)');
    const identity = get().identify(pid) as Identity;
    expect(get().signal({ ...identity, startTicks: identity.startTicks - 1 }, 'SIGKILL')).toBe('gone');
    expect(get().signal(identity, 'SIGTERM')).toBe('unsupported');
    expect(isAlive(pid)).toBe(true);
    withProcess(win32, pid, ProcessRight.queryLimited, () => {
      expect(get().signal(identity, 'SIGKILL')).toBe('sent');
      const gone = waitUntilGone(identity);
      expect(gone).toBe(true);
      expect(get().readStat(pid)).toBeUndefined();
      expect(get().listPids()).not.toContain(pid);
      expect(get().signal(identity, 'SIGKILL')).toBe('gone');
    });
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(137);
  });

  it('have command lines that are split as CommandLineToArgvW splits them', () => {
    const random = randomNumbers(12_345);
    const units = ['"', '\\', ' ', 'a', '\t', '"', '\\', 'ü'];
    for (let round = 0; round < 1000; round += 1) {
      const length = 1 + Math.floor(random() * 14);
      const line = `x${Array.from({ length }, () => units[Math.floor(random() * units.length)]).join('')}`;
      expect({ line, words: parseCommandLine(line) }).toEqual({ line, words: splitByWindows(line) });
    }
  });

  it('are on a machine that has an id of its own', () => {
    expect(get().host()).toEqual({ machineId: expect.stringMatching(/^[0-9a-f]{32}$/), bootId: '', pidNamespace: '' });
  });

  function get(): NonNullable<typeof platform> {
    if (platform === undefined) throw new Error('internal: no platform');
    return platform;
  }

  /** Synchronous: nobody else may close the last handle meanwhile. */
  function waitUntilGone(identity: Identity): boolean {
    const end = Date.now() + capMs;
    while (Date.now() < end) if (!get().isAlive(identity)) return true;
    return false;
  }
});

async function startNode(script: string, words: readonly string[] = [], options: object = {}) {
  const child = spawn(process.execPath, ['-e', script, '--', ...words], {
    ...{ stdio: ['ignore', 'pipe', 'ignore'] as const, windowsHide: true },
    ...options,
  });
  onTestFinished(() => void child.kill());
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return { pid: child.pid as number, child };
}

/** A process that has used half a second of CPU. */
function startBusy() {
  const work = 'while (process.cpuUsage().user < 500_000 && process.uptime() < 30);';
  return startNode(`${work} process.stdout.write("up"); setInterval(() => {}, 1000)`);
}

async function listen(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  onTestFinished(() => void server.close());
  await waitFor('the server to listen', () => server.listening, capMs);
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

function listPids(): ReadonlySet<number> {
  return new Set(
    listProcesses()
      .map(({ pid }) => pid)
      .filter((pid) => pid > 4),
  );
}

function withoutCpu(processes: ReturnType<typeof readSystemProcesses>, pids: readonly number[]) {
  return processes
    .filter(({ pid }) => pids.includes(pid))
    .map(({ pid, ppid, startedAt: start, threads, image }) => ({ pid, ppid, start, threads, image }))
    .sort((a, b) => a.pid - b.pid);
}

function splitByWindows(line: string): string[] {
  const count = Buffer.alloc(4);
  const { value: list } = win32.call('shell32', 'CommandLineToArgvW', 'I64', wide(line), memory(count));
  const addresses = readFrom(list, 8 * count.readInt32LE(0));
  const words = Array.from({ length: count.readInt32LE(0) }, (_, index) => {
    const at = Number(addresses.readBigUInt64LE(8 * index));
    return readFrom(at, 2 * win32.call('kernel32', 'lstrlenW', 'I32', pointer(at)).value).toString('utf16le');
  });
  win32.call('kernel32', 'LocalFree', 'I64', pointer(list));
  return words;
}

function readFrom(address: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.max(1, length));
  win32.call('ntdll', 'memcpy', 'I64', memory(bytes), pointer(address), pointer(length));
  return bytes.subarray(0, length);
}

/** The same numbers in every run (Lehmer). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
