import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { acquireLock, lockAddress, removeLockFile } from '../../src/state/lock.ts';

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-lock-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

it('has a name that each system can take and that tells directories and blocks apart', async () => {
  const [one, other] = [makeDirectory(), makeDirectory()];
  const socket = await lockAddress(one, 0, 'a', 'abstract-socket');
  expect(socket.name).toMatch(/^\0agentmux-0-[0-9a-f]{40}\0+$/);
  expect(socket.name).toHaveLength(108);
  const object = await lockAddress(one, undefined, 'a', 'named-object');
  expect(object.name).toMatch(/^Global\\agentmux-x-[0-9a-f]{40}$/);
  const file = await lockAddress(one, 0, 'a', 'locked-file');
  expect(file.name).toBe(join(one, '.a.lock'));
  const names = await Promise.all([lockAddress(one, 0, 'b'), lockAddress(other, 0, 'a'), lockAddress(one, 0, 'a')]);
  expect(new Set(names.map(({ name }) => name)).size).toBe(3);
});

it('is held by one at a time, and can be taken again after its release', async () => {
  const address = await lockAddress(makeDirectory(), process.getuid?.(), 'a');
  const lock = await acquireLock(address, 'it', 0);
  await expect(acquireLock(address, 'it', 0)).rejects.toMatchObject({ code: 'locked' });
  lock.release();
  (await acquireLock(address, 'it', 5000)).release();
});

it('leaves the files of other kinds of locks alone', () => {
  const directory = makeDirectory();
  closeSync(openSync(join(directory, '.a.lock'), 'w'));
  removeLockFile(directory, 'a', 'abstract-socket');
  expect(existsSync(join(directory, '.a.lock'))).toBe(true);
  removeLockFile(directory, 'a', 'locked-file');
  expect(existsSync(join(directory, '.a.lock'))).toBe(false);
});
