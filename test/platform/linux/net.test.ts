import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLinuxPlatform } from '../../../src/platform/linux/linux-platform.ts';
import { hasNamespaces, namespaceReason } from '../../helpers/namespace.ts';
import { startProcess, startSleeper } from '../../helpers/processes.ts';
import { describeIf, itIf } from '../../helpers/skip.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const platform = createLinuxPlatform();
const hasV6 = await canListenOn('::1');

async function listen(host: string): Promise<{ server: Server; port: number }> {
  const server = createServer();
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { server, port: portOf(server) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return address.port;
}

async function canListenOn(host: string): Promise<boolean> {
  const server = createServer().listen(0, host);
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.once('listening', () => server.close(() => resolve(true)));
  });
}

const listenersOf = (pid: number) => platform.readListeners([pid]).byPid.get(pid) ?? [];

describe('listening sockets', () => {
  it('are found by the process that holds them', async () => {
    const { port } = await listen('127.0.0.1');
    const idle = startSleeper();
    const { byPid, denied } = platform.readListeners([process.pid, idle.pid]);
    expect(byPid.get(process.pid)).toContainEqual({ protocol: 'tcp', address: '127.0.0.1', port });
    expect(byPid.has(idle.pid)).toBe(false);
    expect(denied.size).toBe(0);
  });

  it('are gone when they are closed', async () => {
    const { server, port } = await listen('127.0.0.1');
    server.close();
    await once(server, 'close');
    expect(listenersOf(process.pid).map((listener) => listener.port)).not.toContain(port);
  });

  itIf(hasV6, 'needs IPv6 on the loopback', 'are found in v6, mapped ones included', async () => {
    const { port } = await listen('::1');
    const mapped = await listen('::ffff:127.0.0.1');
    expect(listenersOf(process.pid)).toEqual(
      expect.arrayContaining([
        { protocol: 'tcp6', address: '::1', port },
        { protocol: 'tcp6', address: '::ffff:127.0.0.1', port: mapped.port },
      ]),
    );
  });

  it('belong to a child that inherited them as well', async () => {
    // The child of the server holds the socket at a descriptor of another number.
    const program = `
      const server = require('node:net').createServer().listen(0, '127.0.0.1', () => {
        require('node:child_process').spawn('sleep', ['300'], { stdio: ['ignore', 'ignore', 'ignore', server._handle.fd] });
      });`;
    const { pid } = startProcess(process.execPath, ['-e', program]);
    const child = await waitFor('the child', () => platform.children(pid)[0]);
    await waitFor('exec of the child', () => platform.readStat(child)?.comm === 'sleep');
    const { byPid } = platform.readListeners([pid, child]);
    expect(byPid.get(pid)).toHaveLength(1);
    expect(byPid.get(child)).toEqual(byPid.get(pid));
  });
});

describeIf(hasNamespaces, namespaceReason, 'a process in another network namespace', () => {
  it('has its listening sockets too', async () => {
    const program = `require('node:net').createServer().listen(8123, '0.0.0.0')`;
    const { pid } = startProcess('unshare', ['-n', process.execPath, '-e', program]);
    const listeners = await waitFor('its listener', () => {
      const found = listenersOf(pid);
      return found.length > 0 && found;
    });
    expect(listeners).toEqual([{ protocol: 'tcp', address: '0.0.0.0', port: 8123 }]);
    expect(listenersOf(process.pid)).not.toContainEqual(listeners[0]);
  });
});
