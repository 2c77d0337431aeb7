import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  connectManager,
  findManagerSocket,
  isSystemdHost,
  lingers,
  parseUnitPlace,
} from '../../../src/platform/linux/systemd.ts';
import { recorded } from '../../fixtures/dbus-messages.ts';

const uid = process.getuid?.() ?? 0;
const scope = { name: 'agentmux-x.scope', description: 'agentmux block x', slice: 'agentmux.slice', pids: [1234] };

describe('parseUnitPlace', () => {
  it.each([
    ['/', { type: 'none' }],
    ['/docker/0123abcd', { type: 'none' }],
    [
      '/user.slice/user-1000.slice/user@1000.service/app.slice/app-term-1.scope',
      { type: 'user-unit', uid: 1000, unit: 'app-term-1.scope' },
    ],
    ['/user.slice/user-1000.slice/user@1000.service', { type: 'user-unit', uid: 1000, unit: 'user@1000.service' }],
    ['/user.slice/user-1000.slice/session-4.scope', { type: 'session', uid: 1000, unit: 'session-4.scope' }],
    ['/user.slice/user-0.slice/session-c1.scope', { type: 'session', uid: 0, unit: 'session-c1.scope' }],
    ['/system.slice/cron.service', { type: 'system-unit', unit: 'cron.service' }],
    ['/system.slice/system-x.slice/x@1.service/payload', { type: 'system-unit', unit: 'x@1.service' }],
    ['/init.scope', { type: 'system-unit', unit: 'init.scope' }],
    ['/a/user.slice/user-7.slice/session-1.scope/x', { type: 'session', uid: 7, unit: 'session-1.scope' }],
  ])('knows the place of %s', (path, place) => {
    expect(parseUnitPlace(path)).toEqual(place);
  });
});

describe('what systemd leaves in the file system', () => {
  it('tells its hosts, and users whose manager outlives their logout', () => {
    const root = temporary();
    expect(isSystemdHost(root)).toBe(false);
    expect(lingers('dev', root)).toBe(false);
    mkdirSync(join(root, 'run/systemd/system'), { recursive: true });
    mkdirSync(join(root, 'var/lib/systemd/linger'), { recursive: true });
    writeFileSync(join(root, 'var/lib/systemd/linger/dev'), '');
    expect(isSystemdHost(root)).toBe(true);
    expect(lingers('dev', root)).toBe(true);
    expect(lingers('../linger/dev', root)).toBe(false);
    expect(lingers('', root)).toBe(false);
  });
});

describe('findManagerSocket', () => {
  it('prefers the private socket of the runtime directory, then that of /run/user, then a bus', async () => {
    const [runtime, run] = [temporary(), temporary()];
    const find = () => findManagerSocket(runtime, uid, run);
    expect(find()).toBeUndefined();
    await listen(join(runtime, 'bus'));
    expect(find()).toEqual({ path: join(runtime, 'bus'), isBus: true });
    await listen(join(run, String(uid), 'systemd/private'));
    expect(find()).toEqual({ path: join(run, String(uid), 'systemd/private'), isBus: false });
    await listen(join(runtime, 'systemd/private'));
    expect(find()).toEqual({ path: join(runtime, 'systemd/private'), isBus: false });
  });

  it('takes no socket of somebody else, no plain file and no relative directory', async () => {
    const runtime = temporary();
    await listen(join(runtime, 'bus'));
    expect(findManagerSocket(runtime, uid + 1, '/nonexistent')).toBeUndefined();
    expect(findManagerSocket('run', uid, '/nonexistent')).toBeUndefined();
    const plain = temporary();
    writeFileSync(join(plain, 'bus'), '');
    expect(findManagerSocket(plain, uid, '/nonexistent')).toBeUndefined();
  });
});

describe('connectManager', () => {
  it('starts a scope, though signals come before the answer and the answer in pieces', async () => {
    const [early, late] = [recorded.started.subarray(0, 300), recorded.started.subarray(300)];
    const manager = await connectManager(await serve([[early, late]]), uid);
    await expect(manager.startScope(scope)).resolves.toBeUndefined();
    manager.close();
  });

  it('says hello to a bus first', async () => {
    const socket = await serve([[recorded.hello], [recorded.startedByBus]]);
    const manager = await connectManager({ ...socket, isBus: true }, uid);
    await expect(manager.startScope(scope)).resolves.toBeUndefined();
    manager.close();
  });

  it('tells the error of the manager by its name', async () => {
    const manager = await connectManager(await serve([[recorded.started], [recorded.exists]]), uid);
    await manager.startScope(scope);
    await expect(manager.attachProcesses('agentmux-x.scope', [1])).rejects.toMatchObject({
      errorName: 'org.freedesktop.systemd1.UnitExists',
      message: 'Unit agentmux-rec-p.scope was already loaded or has a fragment file.',
    });
    manager.close();
  });

  it('gives up on one that is silent, at once on one that hangs up or speaks something else', async () => {
    await expect(connectManager(await serve([], 'silent'), uid, 100)).rejects.toThrow('no answer within 100 ms');
    await expect(connectManager(await serve([], 'refuse'), uid, 5000)).rejects.toThrow('refused to authenticate');
    const chatty = await connectManager(await serve([[Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')]]), uid, 5000);
    await expect(chatty.startScope(scope)).rejects.toThrow('the answer is no D-Bus message');
    chatty.close();
    const gone = await connectManager(await serve([[]]), uid, 5000);
    await expect(gone.startScope(scope)).rejects.toThrow('the D-Bus connection was closed');
    gone.close();
    await expect(connectManager({ path: '/nonexistent/private', isBus: false }, uid)).rejects.toThrow('ENOENT');
  });
});

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-systemd-'));
  chmodSync(directory, 0o700);
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function listen(path: string, talk: (socket: Socket) => void = () => undefined): Promise<void> {
  mkdirSync(join(path, '..'), { recursive: true });
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    talk(socket);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
}

/** A manager that answers each call with the next of the answers, in its pieces; an answer without any hangs up. */
async function serve(answers: readonly (readonly Buffer[])[], mood: 'kind' | 'silent' | 'refuse' = 'kind') {
  const path = join(temporary(), 'private');
  const left = [...answers];
  await listen(path, (socket) => {
    socket.on('data', (chunk: Buffer) => {
      if (mood === 'silent') return;
      const text = chunk.toString('latin1');
      if (text.startsWith('\0AUTH EXTERNAL ')) {
        socket.write(mood === 'refuse' ? 'REJECTED EXTERNAL\r\n' : 'OK 0123456789abcdef\r\n');
      }
      if (!text.endsWith('BEGIN\r\n') && !text.startsWith('\0')) {
        const pieces = left.shift() ?? [];
        if (pieces.length === 0) socket.destroy();
        const send = (at: number) => {
          const piece = pieces[at];
          if (piece) socket.write(piece, () => setImmediate(send, at + 1));
        };
        send(0);
      }
    });
  });
  return { path, isBus: false };
}
