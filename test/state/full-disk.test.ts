import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { isRoot, itIf } from '../helpers/skip.ts';
import { buildStoreChild, startChild } from './child.ts';

const unshare = isRoot ? ['-m'] : ['-Urm'];
const canMount = spawnSync('unshare', [...unshare, 'mount', '-t', 'tmpfs', 'none', os.tmpdir()]).status === 0;
const reason = 'this host lets us mount nothing in a mount namespace';

let home: string;
let script: string;
beforeAll(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'agentmux-full-disk-'));
  script = path.join(home, 'store-child.cjs');
  buildStoreChild(script);
  fs.mkdirSync(path.join(home, 'state'));
});
afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

function startMounted(options: string, command: string) {
  const state = path.join(home, 'state');
  const shell = 'mount -t tmpfs -o "$1" none "$2" && shift && state=$1 && shift && exec "$@"';
  const node = [process.execPath, script, command, state];
  return startChild('unshare', [...unshare, 'sh', '-c', shell, 'sh', options, state, ...node]);
}

itIf(
  canMount,
  reason,
  'leaves the old file whole and no unfinished one when the disk is full, and says so',
  async () => {
    const child = startMounted('size=96k,mode=700', 'fill');
    const line = await child.line('failed ');
    expect(await child.ended).toBe(0);
    expect(JSON.parse(line.slice('failed '.length))).toEqual({
      code: 'state-unwritable',
      message: expect.stringMatching(
        /^cannot write the state file ".*\/blocks\/claude-k3f9\.json": no space left on device$/,
      ),
      last: true,
      unreadable: [],
      names: ['claude-k3f9.json'],
      created: 'state-unwritable',
      namesAfter: ['claude-k3f9.json'],
    });
  },
);

itIf(canMount, reason, 'tells a read-only file system in words', async () => {
  const child = startMounted('ro,mode=700', 'refuse');
  const line = await child.line('refused ');
  expect(await child.ended).toBe(0);
  expect(line).toMatch(/state-unwritable cannot create the state directory ".*\/blocks": read-only file system$/);
});
