import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createDirectoryGuard } from '../../src/platform/windows/directory-guard.ts';
import { win32 } from '../../src/platform/windows/ffi-call.ts';
import { takeName } from '../../src/platform/windows/named-lock.ts';
import { openStore } from '../../src/state/file-store.ts';
import { describeIf } from '../helpers/skip.ts';
import { sampleRecord } from '../state/sample.ts';
import { capMs } from './helpers/agent.ts';
import { createRig } from './helpers/rig.ts';

const isWindows = process.platform === 'win32';

describeIf(isWindows, 'needs Windows', 'the state of a user of Windows', () => {
  it('is in a directory that is made for the user alone', () => {
    const directory = join(makeDirectory(), 'state');
    const store = open(directory);
    expect(store.create(sampleRecord())).toBe(true);
    const guard = createDirectoryGuard(win32);
    for (const one of [directory, join(directory, 'blocks')]) expect(guard.findFault(one)).toBeUndefined();
    expect(store.list().blocks.map(({ id }) => id)).toEqual([sampleRecord().id]);
  });

  it('is not kept where others may write', () => {
    const directory = join(makeDirectory(), 'state');
    mkdirSync(directory);
    // The bed shows a mode as an access list; Windows itself would inherit one from above.
    chmodSync(directory, 0o777);
    const fault = createDirectoryGuard(win32).findFault(directory);
    if (fault === undefined) return;
    expect(fault.why).toMatch(/^can be written to by other users \(Everyone/);
    expect(() => open(directory)).toThrow(expect.objectContaining({ kind: 'refused', code: 'state-untrusted' }));
  });

  it('is replaced whole while somebody has it open for a moment', async () => {
    const directory = join(makeDirectory(), 'state');
    const store = open(directory);
    const record = sampleRecord();
    store.create(record);
    const file = join(directory, 'blocks', `${record.id}.json`);
    // Another thread of control: our own is busy replacing.
    const holder = spawn(process.execPath, ['-e', HOLD_SHORTLY, file], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void holder.kill());
    await once(holder.stdout, 'data');
    for (let time = 1; time <= 30; time += 1) store.write({ ...record, createdAtMs: time });
    expect(store.read(record.id)?.createdAtMs).toBe(30);
    expect(readdirSync(join(directory, 'blocks'))).toEqual([`${record.id}.json`]);
  });

  it('says so when a file stays open, and leaves the old one whole', () => {
    const directory = join(makeDirectory(), 'state');
    const store = open(directory);
    const record = sampleRecord();
    store.create(record);
    const fd = openSync(join(directory, 'blocks', `${record.id}.json`), 'r');
    onTestFinished(() => closeSync(fd));
    try {
      store.write({ ...record, createdAtMs: 1 });
    } catch (error) {
      expect(error).toMatchObject({ code: 'state-unwritable' });
      expect(store.read(record.id)?.createdAtMs).toBe(record.createdAtMs);
    }
    expect(readdirSync(join(directory, 'blocks'))).toEqual([`${record.id}.json`]);
  });

  it('is locked by one process at a time, until it ends, however it ends', async () => {
    const name = `Global\\agentmux-test-${process.pid}-${Date.now()}`;
    const held = takeName(name);
    expect(held).toBeDefined();
    expect(takeName(name)).toBeUndefined();
    held?.release();
    const holder = spawn(process.execPath, ['-e', HOLD_NAME, name], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void holder.kill());
    await once(holder.stdout, 'data');
    expect(takeName(name)).toBeUndefined();
    holder.kill();
    await once(holder, 'exit');
    const taken = takeName(name);
    expect(taken).toBeDefined();
    taken?.release();
    const directory = makeDirectory();
    const store = open(join(directory, 'state'));
    const lock = await store.lock('a', 0);
    await expect(store.lock('a', 0)).rejects.toMatchObject({ code: 'locked' });
    const other = await store.lock('b', 0);
    lock.release();
    (await store.lock('a', capMs)).release();
    other.release();
  });

  it('may lie deep, beyond what old programs can name', () => {
    const directory = join(makeDirectory(), 'd'.repeat(120), 'e'.repeat(120), 'state');
    mkdirSync(join(directory, '..'), { recursive: true });
    const store = open(directory);
    store.create(sampleRecord());
    expect(store.list().blocks).toHaveLength(1);
    store.remove(sampleRecord().id);
    expect(readdirSync(join(directory, 'blocks'))).toEqual([]);
  });

  it('is in the local application data, and refused where nothing names a place', async () => {
    const rig = createRig({ home: true });
    const place = `state: ${rig.stateDirectory}, made by the first run`;
    await rig
      .agentmux('doctor')
      .stdout(new RegExp(place.replace(/[\\().]/g, '\\$&')))
      .run();
    await rig
      .agentmux('blocks')
      .env('AGENTMUX_STATE_DIR', 'relative\\path')
      .stderr(/AGENTMUX_STATE_DIR is not an absolute path: "relative/)
      .status(2)
      .run();
  });
});

const HOLD_NAME = `
const { open, load, DataType } = require('ffi-rs');
open({ library: 'kernel32', path: 'kernel32.dll' });
const paramsType = [DataType.I64, DataType.I32, DataType.WString];
load({ library: 'kernel32', funcName: 'CreateMutexW', retType: DataType.I64, paramsType, paramsValue: [0, 0, process.argv[1]] });
process.stdout.write('up');
setInterval(() => {}, 1000);`;

const HOLD_SHORTLY = `
const fs = require('node:fs');
process.stdout.write('up');
const end = Date.now() + 20_000;
(function next() {
  try {
    const fd = fs.openSync(process.argv[1], 'r');
    setTimeout(() => { fs.closeSync(fd); if (Date.now() < end) setTimeout(next, 15); }, 5);
  } catch { if (Date.now() < end) setTimeout(next, 1); }
})();`;

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-state-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  return directory;
}

function open(directory: string) {
  return openStore({ directory, uid: undefined, guard: createDirectoryGuard(win32), machineId: 'machine-a' });
}
