import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { BlockRecord } from '../../src/model/block.ts';
import { openStore } from '../../src/state/file-store.ts';
import type { Store } from '../../src/state/store.ts';
import { seededRandom } from '../helpers/random.ts';
import { buildStoreChild, type StoreChild, startChild } from './child.ts';
import { sampleRecord } from './sample.ts';

let home: string;
let script: string;
let directory: string;
let store: Store;
beforeAll(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'agentmux-processes-'));
  script = path.join(home, 'store-child.cjs');
  buildStoreChild(script);
});
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(home, 'state-'));
  store = openStore({ directory, uid: process.getuid?.(), machineId: 'machine-a' });
});
afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

function start(command: string, argument = ''): StoreChild {
  return startChild(process.execPath, [script, command, directory, argument]);
}

it.each(['', 'without-links'])(
  'lets exactly one of 20 processes create an id %s',
  async (links) => {
    const children = Array.from({ length: 20 }, () => start('create', links));
    await Promise.all(children.map((child) => child.line('ready')));
    for (const child of children) child.process.stdin.end('x');
    const answers = await Promise.all(children.map((child) => child.line('created ')));
    await Promise.all(children.map((child) => child.ended));
    const winners = children.filter((_, index) => answers[index] === 'created true');
    expect(winners).toHaveLength(1);
    expect(store.read('claude-k3f9')?.tag).toBe(`tag-${winners[0]?.process.pid}`);
    expect(fs.readdirSync(path.join(directory, 'blocks'))).toEqual(['claude-k3f9.json']);
  },
  60_000,
);

it('shows a reader only whole records while a writer replaces the file 500 times', async () => {
  const child = start('write', '500');
  await child.line('ready');
  let running = true;
  void child.ended.then(() => {
    running = false;
  });
  const seen = new Set<number>();
  while (running) {
    const listing = store.list();
    expect(listing.unreadable).toEqual([]);
    for (const block of listing.blocks) seen.add(expectWhole(block));
    await nextTurn();
  }
  expect(await child.ended).toBe(0);
  expect(store.read('claude-k3f9')?.createdAtMs).toBe(500);
  expect(seen.size).toBeGreaterThan(20);
}, 60_000);

it('leaves a whole file wherever its writer is killed, at 50 instants', async () => {
  const random = seededRandom(20_240_607);
  store.create(sampleRecord({ createdAtMs: 0, runs: [] }));
  for (let round = 0; round < 50; round++) {
    const child = start('write', '1000000');
    await child.line('ready');
    await delay(random() * 25);
    child.process.kill('SIGKILL');
    expect(await child.ended).toBe('SIGKILL');
    const { blocks, unreadable } = store.list();
    expect(unreadable).toEqual([]);
    expect(blocks).toHaveLength(1);
    for (const block of blocks) expectWhole(block);
  }
  store.list({ sweepAtMs: Date.now() + 2 * 3_600_000 });
  expect(fs.readdirSync(path.join(directory, 'blocks'))).toEqual(['claude-k3f9.json']);
}, 120_000);

/** The number of the write that a record is of; throws if its parts are not of the same write. */
function expectWhole(block: BlockRecord): number {
  const words = new Set(block.runs.flatMap((run) => run.argv));
  if (block.createdAtMs > 0) expect([...words]).toEqual([`word-${block.createdAtMs}`]);
  return block.createdAtMs;
}

it('keeps the lines of readers that record at the same time apart', async () => {
  store.create(sampleRecord());
  const children = Array.from({ length: 5 }, () => start('record'));
  await Promise.all(children.map((child) => child.line('ready')));
  for (const child of children) child.process.stdin.end('x');
  await Promise.all(children.map((child) => child.ended));
  expect(store.recorded('claude-k3f9')).toHaveLength(5 * 200);
}, 60_000);

it('holds a lock against other processes until it is released', async () => {
  const child = start('lock', 'hold');
  await child.line('locked');
  const refused = store.lock('claude-k3f9', 60);
  await expect(refused).rejects.toMatchObject({ kind: 'refused', code: 'locked' });
  (await store.lock('claude-other', 0)).release();
  child.process.stdin.end();
  expect(await child.ended).toBe(0);
  const lock = await store.lock('claude-k3f9', 5000);
  await expect(store.lock('claude-k3f9', 0)).rejects.toMatchObject({ code: 'locked' });
  lock.release();
  (await store.lock('claude-k3f9', 5000)).release();
});

it('frees the lock of a killed process at once, and what it left in files does not matter', async () => {
  const child = start('lock', 'hold');
  await child.line('locked');
  const waiting = store.lock('claude-k3f9', 10_000);
  child.process.kill('SIGKILL');
  (await waiting).release();
});

it('does not keep a process alive by its lock', async () => {
  const child = start('lock');
  await child.line('locked');
  expect(await child.ended).toBe(0);
});

it('locks the same id in two state directories apart', async () => {
  const other = fs.mkdtempSync(path.join(home, 'state-'));
  const first = await store.lock('claude-k3f9', 0);
  const second = await openStore({ directory: other, uid: process.getuid?.(), machineId: 'm' }).lock('claude-k3f9', 0);
  first.release();
  second.release();
});
