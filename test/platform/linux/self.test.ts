import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readOpenFds } from '../../../src/platform/linux/fds.ts';
import { readOpenFilesLimit } from '../../../src/platform/linux/limits.ts';
import { createLinuxPlatform } from '../../../src/platform/linux/linux-platform.ts';
import { readRawSelf } from '../../../src/platform/linux/raw-args.ts';
import { startProcess } from '../../helpers/processes.ts';
import { waitFor } from '../../helpers/wait-for.ts';

describe('our own descriptors', () => {
  it('are told by number and kind', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'agentmux-test-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const fd = openSync(join(directory, 'file'), 'w');
    const server = createServer().listen(join(directory, 'socket'));
    await once(server, 'listening');
    const client = connect(join(directory, 'socket'));
    await once(client, 'connect');
    const open = readOpenFds();
    client.destroy();
    server.close();
    closeSync(fd);
    expect(open.find((entry) => entry.fd === fd)).toEqual({ fd, kind: 'file', target: join(directory, 'file') });
    expect(open.filter((entry) => entry.kind === 'socket').length).toBeGreaterThanOrEqual(2);
    expect(open.every((entry) => entry.fd >= 3)).toBe(true);
    expect(readOpenFds().some((entry) => entry.fd === fd)).toBe(false);
  });
});

describe('our own argument vector and environment', () => {
  it('are told to the byte', () => {
    const self = readRawSelf();
    expect(self?.argv.length).toBeGreaterThan(0);
    expect(self?.environment.map((entry) => entry.text)).toContain(`PATH=${process.env['PATH']}`);
  });

  it('are unknown without procfs', () => {
    expect(readRawSelf('/nonexistent')).toBeUndefined();
  });
});

describe('the limit of open files', () => {
  it('is that of the process that is asked for', async () => {
    const { pid } = startProcess('sh', ['-c', 'ulimit -Sn 77; ulimit -Hn 99; exec sleep 300']);
    await waitFor('exec', () => createLinuxPlatform().readStat(pid)?.comm === 'sleep');
    expect(readOpenFilesLimit('/proc', pid)).toEqual({ soft: 77, hard: 99 });
    expect(readOpenFilesLimit('/proc', 0)).toBeUndefined();
  });
});
