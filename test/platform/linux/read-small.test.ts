import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readRecord, readSmall } from '../../../src/platform/linux/read-small.ts';
import { waitFor } from '../../helpers/wait-for.ts';

it('reads a file that is larger than its buffer', () => {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const bytes = Buffer.alloc(700_001, 'abcdefg');
  writeFileSync(join(directory, 'large'), bytes);
  expect(readSmall(join(directory, 'large'))?.equals(bytes)).toBe(true);
  expect(readSmall('/proc/self/comm')?.length).toBeLessThan(17);
});

it('answers undefined for what is not there, and an empty buffer for what is empty', () => {
  expect(readSmall('/proc/0/stat')).toBeUndefined();
  expect(readSmall('/proc/self/stat/more')).toBeUndefined();
  expect(readSmall('/dev/null')?.length).toBe(0);
});

it('throws on faults that say nothing about a process', () => {
  expect(() => readSmall('/proc/self')).toThrow('EISDIR');
});

it.each(['stat', 'status', 'cmdline', 'environ'])('gets the whole %s of a process by one read', async (name) => {
  const env = { FIRST: '1', LONG: 'x'.repeat(100_000), LAST: '2' };
  const child = spawn('sleep', ['600', ...Array.from({ length: 4 }, () => `0.${'0'.repeat(90_000)}`)], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const path = `/proc/${child.pid}/${name}`;
  // Two reads are the same only of a process that stands still.
  child.kill('SIGSTOP');
  await waitFor('it to stop', () => readRecord(`/proc/${child.pid}/stat`)?.includes(') T '));
  const record = Buffer.from(readRecord(path) ?? '');
  expect(record.length).toBeGreaterThan(100);
  expect(record.equals(readSmall(path) ?? Buffer.alloc(0))).toBe(true);
});
