import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { appendMembers, MAX_MEMBERS_BYTES, parseMember, readMembers } from '../../src/state/members-file.ts';
import { isWindows } from '../helpers/skip.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'agentmux-members-'));
  file = path.join(directory, 'b.members');
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

const bootId = '7cbd0a84-41c1-4b3c-8a7e-0fd3d3a8c7c1';
const member = (pid: number, startTicks = 1) => ({ pid, startTicks, bootId });
const everyone = () => true;

it('appends, and reads each process once', () => {
  appendMembers(file, [member(10), member(11)], everyone);
  appendMembers(file, [member(10), member(10, 2)], everyone);
  appendMembers(file, [], everyone);
  expect(readMembers(file)).toEqual([member(11), member(10), member(10, 2)]);
  // On Windows the directory keeps others out.
  if (!isWindows) expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

it('skips torn and hostile lines, and what comes after a torn one stays whole', () => {
  fs.writeFileSync(
    file,
    `{"pid":1,"startTicks":1,"bootId":"b"}\n[]\nnull\n\0\0\0\n${JSON.stringify(member(12))}\n{"pid":13,"st`,
  );
  appendMembers(file, [member(14)], everyone);
  expect(readMembers(file)).toEqual([member(12), member(14)]);
});

it('never throws on any line, and yields only what may be signalled', () => {
  const hostile = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({ pid: fc.anything(), startTicks: fc.anything(), bootId: fc.anything() })
      .map((value) => tryStringify(value)),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      const parsed = parseMember(text);
      if (parsed === undefined) return;
      expect(Number.isInteger(parsed.pid) && parsed.pid > 1).toBe(true);
      expect(Number.isInteger(parsed.startTicks) && parsed.startTicks >= 0).toBe(true);
      expect(parsed.bootId).toBeTypeOf('string');
    }),
  );
});

function tryStringify(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}

it('reads nothing of a missing file, a directory or a link', () => {
  expect(readMembers(file)).toEqual([]);
  expect(readMembers(directory)).toEqual([]);
  fs.symlinkSync('/etc/passwd', file);
  expect(readMembers(file)).toEqual([]);
});

it('is compacted when it has grown too large: the living stay, the ended and the repeated go', () => {
  const many = Array.from({ length: 14_000 }, (_, index) => member(index + 2));
  appendMembers(file, many, ({ pid }) => pid % 100 === 0);
  expect(fs.statSync(file).size).toBeLessThan(MAX_MEMBERS_BYTES / 2);
  expect(readMembers(file)).toEqual(many.filter(({ pid }) => pid % 100 === 0));
  expect(fs.readdirSync(directory)).toEqual(['b.members']);
});

it('keeps the newest if even the living are too many', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => member(index + 2));
  appendMembers(file, many, everyone);
  const kept = readMembers(file);
  expect(kept.length).toBeGreaterThan(5000);
  expect(kept).toEqual(many.slice(-kept.length));
  expect(fs.statSync(file).size).toBeLessThanOrEqual(MAX_MEMBERS_BYTES / 2);
});
