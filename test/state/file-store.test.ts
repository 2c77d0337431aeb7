import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore, type StoreOptions } from '../../src/state/file-store.ts';
import type { Store } from '../../src/state/store.ts';
import { sampleRecord } from './sample.ts';

let home: string;
let directory: string;
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'agentmux-store-'));
  directory = path.join(home, '.local/state/agentmux');
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

function open(changes: Partial<StoreOptions> = {}): Store {
  return openStore({ directory, uid: process.getuid?.(), machineId: 'machine-a', ...changes });
}

it('creates the directory 0700 and the file 0600 whatever the umask, and reads the record back', () => {
  const old = process.umask(0o277);
  try {
    expect(open().create(sampleRecord())).toBe(true);
  } finally {
    process.umask(old);
  }
  expect(open().read('claude-k3f9')).toEqual(sampleRecord());
  expect(modeOf(directory)).toBe('700');
  expect(modeOf(path.join(directory, 'blocks'))).toBe('700');
  expect(modeOf(path.join(directory, 'blocks/claude-k3f9.json'))).toBe('600');
});

function modeOf(file: string): string {
  return (fs.statSync(file).mode & 0o7777).toString(8);
}
