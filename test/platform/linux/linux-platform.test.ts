import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pidtree from 'pidtree';
import psTree from 'ps-tree';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLinuxPlatform } from '../../../src/platform/linux/linux-platform.ts';
import { startProcess, startSleeper } from '../../helpers/processes.ts';
import { isRoot, itIf } from '../../helpers/skip.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const platform = createLinuxPlatform();

const argvOf = (pid: number) => platform.readDetails(pid, { argv: true }).argv;

/** Resolves when the child has become the program it was to be. */
async function started(pid: number, comm: string): Promise<number> {
  await waitFor(`${pid} to be ${comm}`, () => platform.readStat(pid)?.comm === comm);
  return pid;
}

describe('the status line and details of a live process', () => {
  it('tells what we know of ourselves', () => {
    const stat = platform.readStat(process.pid);
    expect(stat).toMatchObject({ pid: process.pid, ppid: process.ppid });
    expect(Math.abs((stat?.rssBytes ?? 0) / process.memoryUsage.rss() - 1)).toBeLessThan(0.5);
    const { user, system } = process.cpuUsage();
    expect(Math.abs((stat?.cpuMs ?? 0) - (user + system) / 1000)).toBeLessThan(500);
    const details = platform.readDetails(process.pid, { argv: true, exe: true, cwd: true, status: true });
    expect(details).toMatchObject({
      exe: realpathSync(process.execPath),
      cwd: process.cwd(),
      uid: process.getuid?.(),
      argvBytes: undefined,
      innerPid: undefined,
    });
    expect(details.privateBytes).toBeGreaterThan(1_000_000);
  });

  it('knows no process by the id of a thread', () => {
    const threads = readdirSync('/proc/self/task').map(Number);
    expect(threads.length).toBeGreaterThan(1);
    expect(threads.filter((id) => platform.readStat(id) !== undefined)).toEqual([process.pid]);
    expect(threads.filter((id) => platform.identify(id) !== undefined)).toEqual([process.pid]);
  });

  it('reads only what was asked for', () => {
    expect(platform.readDetails(process.pid, {})).toEqual({
      argv: undefined,
      argvBytes: undefined,
      exe: undefined,
      cwd: undefined,
      uid: undefined,
      privateBytes: undefined,
      innerPid: undefined,
    });
  });

  it('tells the start within 100 ms', async () => {
    const before = Date.now();
    const { pid } = startSleeper();
    const stat = platform.readStat(pid);
    const startedAtMs = platform.startedAtMs(stat?.startTicks ?? 0);
    expect(startedAtMs).toBeGreaterThan(before - 100);
    expect(startedAtMs).toBeLessThan(Date.now() + 100);
  });

  it('keeps empty arguments, newlines and what looks like an option', async () => {
    const args = ['-c', 'read x', '', '', 'a\nb', '--', 'é', ''];
    const { pid } = startProcess('sh', args, { stdio: ['pipe', 'ignore', 'ignore'] });
    await waitFor('the argument vector', () => argvOf(pid)?.[0] === 'sh');
    expect(argvOf(pid)).toEqual(['sh', ...args]);
  });

  it('keeps the bytes of arguments that are no UTF-8', async () => {
    const { pid } = startProcess('sh', ['-c', `exec sh -c 'read x' "$(printf 'a\\377')"`], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const details = await waitFor('the bytes', () => {
      const read = platform.readDetails(pid, { argv: true });
      return read.argvBytes && read;
    });
    expect(details.argv).toEqual(['sh', '-c', 'read x', 'a\ufffd']);
    expect(Buffer.from(details.argvBytes ?? []).toString('latin1')).toBe('sh\0-c\0read x\0a\xff\0');
  });

  it('is not misled by the name of an executable', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'agentmux-test-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const name = ') R 1 1\n(x';
    const { pid } = startProcess('bash', [
      '-c',
      `cp "$(command -v sleep)" "$0/$1" && exec -a sleep "$0/$1" 300`,
      directory,
      name,
    ]);
    await started(pid, name);
    expect(platform.readStat(pid)).toMatchObject({
      pid,
      ppid: process.pid,
      pgid: platform.readStat(process.pid)?.pgid,
    });
    expect(platform.readDetails(pid, { exe: true }).exe).toBe(join(realpathSync(directory), name));
    rmSync(join(directory, name));
    expect(platform.readDetails(pid, { exe: true }).exe).toBe(`${join(realpathSync(directory), name)} (deleted)`);
  });

  itIf(isRoot, 'needs root to see another user', 'tells the user a process runs as', async () => {
    const { pid } = startSleeper({ uid: 65534, gid: 65534 });
    expect(platform.readDetails(pid, { status: true }).uid).toBe(65534);
  });
});

describe('the environment of a live process', () => {
  it('is searched for the exact tag', () => {
    const { pid } = startSleeper({ env: { A: '1', AGENTMUX_TAG: 'f00', Z: 'AGENTMUX_TAG=bar' } });
    expect(platform.findTag(pid, new Set(['bar', 'f00']))).toBe('f00');
    expect(platform.findTag(pid, new Set(['bar', 'f0']))).toBeUndefined();
    expect(platform.findTag(pid, new Set())).toBeUndefined();
    expect(platform.readEnvironment(pid)).toEqual(['A=1', 'AGENTMUX_TAG=f00', 'Z=AGENTMUX_TAG=bar']);
  });

  itIf(!isRoot, 'root may read everything', 'is unknown where it is not ours to see', () => {
    expect(platform.readEnvironment(1)).toBeUndefined();
    expect(platform.findTag(1, new Set(['f00']))).toBeUndefined();
    expect(platform.readStat(1)?.pid).toBe(1);
  });
});

describe('a process that has ended', () => {
  it('is known to nobody', async () => {
    const { pid, ended } = startProcess('true');
    const identity = platform.identify(pid);
    await ended;
    expect(platform.identify(pid)).toBeUndefined();
    expect(platform.readStat(pid)).toBeUndefined();
    expect(platform.readDetails(pid, { argv: true, exe: true, cwd: true, status: true }).argv).toBeUndefined();
    expect(platform.readEnvironment(pid)).toBeUndefined();
    expect(platform.children(pid)).toEqual([]);
    expect(platform.readListeners([pid]).byPid.size).toBe(0);
    if (identity !== undefined) expect(platform.isAlive(identity)).toBe(false);
  });

  it('is gone as a zombie too', async () => {
    const { pid } = startProcess('sh', ['-c', 'sleep 0 & exec sleep 300']);
    const [zombie = 0] = await waitFor('a zombie', () => {
      const children = platform.children(pid);
      return platform.readStat(children[0] ?? 0)?.state === 'Z' && children;
    });
    const { bootId, pidNamespace } = platform.host();
    const startTicks = platform.readStat(zombie)?.startTicks ?? 0;
    expect(platform.identify(zombie)).toBeUndefined();
    expect(platform.isAlive({ pid: zombie, startTicks, bootId, pidNamespace })).toBe(false);
    expect(argvOf(zombie)).toEqual([]);
    expect(platform.readTable().some((stat) => stat.pid === zombie)).toBe(true);
  });
});

describe('identities', () => {
  it('differ from another start, boot and namespace', () => {
    const identity = platform.identify(startSleeper().pid);
    if (identity === undefined) throw new Error('no identity');
    expect(platform.isAlive(identity)).toBe(true);
    expect(platform.isAlive({ ...identity, startTicks: identity.startTicks - 1 })).toBe(false);
    expect(platform.isAlive({ ...identity, bootId: 'another' })).toBe(false);
    expect(platform.isAlive({ ...identity, pidNamespace: '1' })).toBe(false);
  });
});

describe('the table', () => {
  it('holds us and our children, and no kernel threads', () => {
    const { pid } = startSleeper();
    const pids = platform.readTable().map((stat) => stat.pid);
    expect(pids).toEqual(expect.arrayContaining([1, process.pid, pid]));
    expect(platform.readTable().some((stat) => stat.pid === 2 && stat.comm === 'kthreadd')).toBe(false);
  });

  it('knows the same tree as pidtree and ps-tree', async () => {
    const leaf = 'sleep 300 & sleep 300 & wait';
    const { pid } = startProcess('sh', ['-c', `sh -c '${leaf}' & sh -c '${leaf}' & sh -c '${leaf}' & wait`]);
    const ours = await waitFor('the tree', () => {
      const below = descend(pid);
      return below.length === 9 && below;
    });
    const byPsTree = await new Promise<number[]>((resolve, reject) => {
      psTree(pid, (error, found) => (error ? reject(error) : resolve(found.map((row) => Number(row.PID)))));
    });
    const sorted = (pids: number[]) => pids.toSorted((a, b) => a - b);
    expect(sorted(ours)).toEqual(sorted(await pidtree(pid)));
    expect(sorted(ours)).toEqual(sorted(byPsTree));
    const table = platform.readTable();
    for (const parent of [pid, ...ours]) {
      const byTable = table.filter((stat) => stat.ppid === parent).map((stat) => stat.pid);
      expect(sorted(platform.children(parent))).toEqual(byTable);
    }
  });

  it('finds children of every thread', () => {
    const child = spawn('sleep', ['300'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(platform.children(process.pid)).toContain(child.pid);
  });
});

function descend(pid: number): number[] {
  return platform.children(pid).flatMap((child) => [child, ...descend(child)]);
}
