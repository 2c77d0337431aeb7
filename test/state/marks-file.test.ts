import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MAX_LINES_BYTES } from '../../src/state/lines-file.ts';
import { appendMarks, parseMarksLine, readMarks } from '../../src/state/marks-file.ts';
import type { RememberedBinding, RememberedProcess } from '../../src/state/store.ts';
import { isWindows } from '../helpers/skip.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'agentmux-marks-'));
  file = path.join(directory, 'b.marks');
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

const everyone = () => true;
const silent = (pid: number): RememberedProcess => ({ pid, startTicks: 1, bootId: 'b', marks: [], output: undefined });
const told = (pid: number, session: string): RememberedProcess => ({
  ...silent(pid),
  marks: [{ agent: 'claude', kind: 'tool', name: 'AI_AGENT', session, pid: 10, callId: undefined }],
  output: { agent: 'claude', session, taskId: 't1' },
});
const binding = (session: string): RememberedBinding => {
  return { agent: 'claude', session, rootPid: 10, rootStartTicks: 5, bootId: 'b' };
};

it('keeps what was told of each process once, the newest, and each session', () => {
  appendMarks(file, { processes: [silent(20), told(21, 'A')], bindings: [binding('A')] }, everyone);
  appendMarks(file, { processes: [told(20, 'B')], bindings: [binding('A'), binding('B')] }, everyone);
  expect(readMarks(file)).toEqual({
    processes: [told(20, 'B'), told(21, 'A')],
    bindings: [binding('A'), binding('B')],
  });
  // On Windows the directory keeps others out.
  if (!isWindows) expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

it('holds nothing where there is no file, or one that is no file', () => {
  expect(readMarks(file)).toEqual({ processes: [], bindings: [] });
  fs.mkdirSync(file);
  expect(readMarks(file)).toEqual({ processes: [], bindings: [] });
});

it('drops the ended and keeps the sessions when the file has grown large', () => {
  const many = Array.from({ length: 6000 }, (_, index) => told(100 + index, 'A'.repeat(36)));
  appendMarks(file, { processes: many, bindings: [binding('A')] }, ({ pid }) => pid === 100);
  expect(fs.statSync(file).size).toBeLessThan(MAX_LINES_BYTES / 2);
  expect(readMarks(file)).toEqual({ processes: [told(100, 'A'.repeat(36))], bindings: [binding('A')] });
});

it('skips lines that are torn, hostile or of something else, and never throws', () => {
  const line = JSON.stringify(told(20, 'A'));
  for (let length = 0; length < line.length; length += 1) expect(parseMarksLine(line.slice(0, length))).toBeUndefined();
  expect(parseMarksLine(line.replace('"tool"', '"root"'))).toBeUndefined();
  expect(parseMarksLine(line.replace('"pid":20', '"pid":1'))).toBeUndefined();
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.jsonValue().map((value) => JSON.stringify({ marks: value })),
      ),
      (text) => {
        parseMarksLine(text);
      },
    ),
  );
});
