import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { createLinuxPlatform } from '../../../src/platform/linux/linux-platform.ts';
import { hasNamespaces, namespaceReason } from '../../helpers/namespace.ts';
import { startProcess, startSleeper } from '../../helpers/processes.ts';
import { isAlive } from '../../helpers/procfs.ts';
import { itIf } from '../../helpers/skip.ts';

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

it('finds children by the table where the kernel keeps no list of them', () => {
  const procRoot = makeDirectory();
  const processes = [
    [10, 1],
    [11, 10],
    [12, 11],
    [13, 10],
  ] as const;
  for (const [pid, ppid] of processes) {
    mkdirSync(join(procRoot, `${pid}/task/${pid}`), { recursive: true });
    const line = `${pid} (sh) S ${ppid} 10 10 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 99 4096 1 0\n`;
    writeFileSync(join(procRoot, `${pid}/stat`), line);
  }
  const platform = createLinuxPlatform({ procRoot });
  expect(platform.children(10)).toEqual([11, 13]);
  expect(platform.children(12)).toEqual([]);
  expect(platform.children(99)).toEqual([]);
});

it('says in one line that no procfs is mounted', () => {
  const platform = createLinuxPlatform({ procRoot: '/nonexistent' });
  expect(() => platform.readTable()).toThrow('cannot read processes in "/nonexistent"');
  expect(platform.identify(process.pid)).toBeUndefined();
  expect(platform.startedAtMs(1)).toBeNaN();
});

itIf(
  hasNamespaces,
  namespaceReason,
  'signals nothing where procfs counts pids in another way than kill(2)',
  async () => {
    const program = join(makeDirectory(), 'program.cjs');
    const source = `
      import { createLinuxPlatform } from ${JSON.stringify(join(process.cwd(), 'src/platform/linux/linux-platform.ts'))};
      const platform = createLinuxPlatform();
      const identity = platform.identify(Number(process.argv[2]));
      process.stdout.write(String(identity && platform.signal(identity, 'SIGKILL')));`;
    buildSync({
      stdin: { contents: source, resolveDir: process.cwd() },
      bundle: true,
      platform: 'node',
      outfile: program,
    });
    const { pid } = startSleeper();
    // The sleeper is seen in procfs, but has no pid in the new namespace.
    const { child, ended } = startProcess('unshare', ['-p', '-f', process.execPath, program, String(pid)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let told = '';
    child.stdout?.on('data', (chunk) => {
      told += chunk;
    });
    await ended;
    expect(told).toBe('denied');
    expect(isAlive(pid)).toBe(true);
  },
);
