import fs from 'node:fs';
import type { Server } from 'node:net';
import path from 'node:path';
import { AgentmuxError } from '../errors.ts';
import { type LockKind, selectLockKind } from '../platform/lock-kind.ts';
import type { Lock } from './store.ts';
import { systemErrorCode } from './system-error.ts';
import { removeQuietly } from './whole-file.ts';

/** A name that one process at a time can take; the kernel drops it with the process, so no lock is ever stale. */
export interface LockAddress {
  readonly kind: LockKind;
  readonly name: string;
}

/** Size of sun_path (unix(7)). */
const SUN_PATH_BYTES = 108;
const POLL_MS = 20;

/**
 * The address of a block's lock in a state directory. An abstract socket (unix(7)) is padded to the full length, since
 * libuv before 1.47 binds the padded form and later ones the exact one, and both must exclude each other. Names are
 * hashed where an id and a directory might not fit. Errors are the system's.
 */
export async function lockAddress(
  directory: string,
  uid: number | undefined,
  id: string,
  kind: LockKind = selectLockKind(),
): Promise<LockAddress> {
  if (kind === 'locked-file') return { kind, name: lockFileOf(directory, id) };
  const { dev, ino } = fs.statSync(directory, { bigint: true });
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256').update(`${dev}:${ino}\0${id}`).digest('hex').slice(0, 40);
  const name = `agentmux-${uid ?? 'x'}-${hash}`;
  return { kind, name: kind === 'named-object' ? `Global\\${name}` : `\0${name}`.padEnd(SUN_PATH_BYTES, '\0') };
}

/**
 * Takes the address, trying again until `waitMs` have passed. Held by this process until released; processes in
 * another network namespace do not see a socket. Rejects with AgentmuxError `refused`, code `locked`, if it stays taken.
 */
export async function acquireLock(address: LockAddress, what: string, waitMs: number): Promise<Lock> {
  // Loaded late: listing commands never lock.
  const { setTimeout: delay } = await import('node:timers/promises');
  const end = performance.now() + waitMs;
  for (;;) {
    const lock = await take(address);
    if (lock !== undefined) return lock;
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

/** Removes the file of a block's lock, if its kind has one and nobody holds it. Best effort, never throws. */
export function removeLockFile(directory: string, id: string, kind: LockKind = selectLockKind()): void {
  const file = lockFileOf(directory, id);
  if (kind !== 'locked-file' || !fs.existsSync(file)) return;
  try {
    const lock = lockFile(file);
    if (lock === undefined) return;
    removeQuietly(file);
    lock.release();
  } catch {
    // Not ours to open: nothing depends on it.
  }
}

/** O_EXLOCK (open(2) of macOS and the BSDs): locks the file with its opening; Node has no name for it. */
const O_EXLOCK = 0x20;

function lockFileOf(directory: string, id: string): string {
  return path.join(directory, `.${id}.lock`);
}

async function take({ kind, name }: LockAddress): Promise<Lock | undefined> {
  if (kind === 'abstract-socket') return bind(name);
  if (kind === 'locked-file') return lockFile(name);
  const { takeName } = await import('../platform/windows/named-lock.ts');
  return takeName(name);
}

async function bind(address: string): Promise<Lock | undefined> {
  const { createServer } = await import('node:net');
  const server = createServer((connection) => connection.destroy());
  if (!(await listen(server, address))) return undefined;
  server.unref();
  return { release: () => void server.close() };
}

function listen(server: Server, address: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (systemErrorCode(error) === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(address, () => resolve(true));
  });
}

function lockFile(file: string): Lock | undefined {
  const { O_RDWR, O_CREAT, O_NONBLOCK } = fs.constants;
  let fd: number;
  try {
    fd = fs.openSync(file, O_RDWR | O_CREAT | O_NONBLOCK | O_EXLOCK, 0o600);
  } catch (error) {
    if (systemErrorCode(error) === 'EAGAIN') return undefined;
    throw error;
  }
  if (isStillThere(fd, file)) return { release: () => fs.closeSync(fd) };
  fs.closeSync(fd);
  return undefined;
}

/** A file that was removed between our opening and locking it is another than the next one will lock. */
function isStillThere(fd: number, file: string): boolean {
  try {
    return fs.fstatSync(fd).ino === fs.statSync(file).ino;
  } catch {
    return false;
  }
}
