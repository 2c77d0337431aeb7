import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPidSpace, parseLastPid, parsePids } from '../../../src/platform/linux/pid-space.ts';
import { describeIf, isLinux } from '../../helpers/skip.ts';

describe('parsePids', () => {
  it('takes the numbers, highest first', () => {
    expect(parsePids(['1', 'self', '20', '3', 'sys', '100'])).toEqual([100, 20, 3, 1]);
  });
});

describe('parseLastPid', () => {
  it.each([
    ['4711\n', 4711],
    ['0.20 0.18 0.12 1/80 11206\n', 11206],
    ['', undefined],
    ['x\n', undefined],
    ['0\n', undefined],
  ])('reads %j', (text, pid) => {
    expect(parseLastPid(text)).toBe(pid);
  });
});

describeIf(isLinux, 'needs procfs', 'openPidSpace', () => {
  it('sees us, and a pid given out since', () => {
    const pids = openPidSpace();
    onTestFinished(() => pids.close());
    expect(pids.list()).toContain(process.pid);
    const before = pids.last();
    spawnSync('true');
    expect(pids.last()).not.toBe(before);
  });

  it('asks loadavg where the kernel has no ns_last_pid, and knows nothing without both', () => {
    const root = mkdtempSync(join(tmpdir(), 'agentmux-proc-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, '17'));
    const none = openPidSpace(root);
    expect(none.last()).toBeUndefined();
    expect(none.list()).toEqual([17]);
    writeFileSync(join(root, 'loadavg'), '0.20 0.18 0.12 1/80 11206\n');
    const pids = openPidSpace(root);
    expect(pids.last()).toBe(11206);
    pids.close();
    expect(pids.last()).toBeUndefined();
  });
});
