import type { Server } from 'node:net';
import { AgentmuxError } from '../errors.ts';
import type { Lock } from './store.ts';
import { systemErrorCode } from './system-error.ts';

/** Size of sun_path (unix(7)). */
const SUN_PATH_BYTES = 108;
const POLL_MS = 20;

/**
 * An abstract socket address (unix(7)): the kernel drops it with the process that bound it, so no lock is ever stale.
 * Padded to the full length, since libuv before 1.47 binds the padded form and later ones the exact one, and both must
 * exclude each other. Hashed, since an id and an inode might not fit.
 */
export async function lockAddress(uid: number | undefined, place: string, id: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256').update(`${place}\0${id}`).digest('hex').slice(0, 40);
  return `\0agentmux-${uid ?? 'x'}-${hash}`.padEnd(SUN_PATH_BYTES, '\0');
}

/**
 * Binds the address, trying again until `waitMs` have passed. Held by this process until released; processes in
 * another network namespace do not see it. Rejects with AgentmuxError `refused`, code `locked`, if it stays taken.
 */
export async function acquireLock(address: string, what: string, waitMs: number): Promise<Lock> {
  // Loaded late: listing commands never lock.
  const { createServer } = await import('node:net');
  const { setTimeout: delay } = await import('node:timers/promises');
  const end = performance.now() + waitMs;
  for (;;) {
    const server = createServer((connection) => connection.destroy());
    if (await bind(server, address)) {
      server.unref();
      return { release: () => void server.close() };
    }
    const left = end - performance.now();
    if (left <= 0) {
      throw new AgentmuxError('refused', `${what} is in use by another agentmux command`, {
        hint: 'try again when that command has ended',
        code: 'locked',
      });
    }
    await delay(Math.min(POLL_MS, left));
  }
}

function bind(server: Server, address: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (systemErrorCode(error) === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(address, () => resolve(true));
  });
}
