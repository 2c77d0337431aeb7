import fs from 'node:fs';
import { expect, it } from 'vitest';
import { parseBlockText } from '../../src/state/schema.ts';
import { MAX_RECORD_BYTES, serializeBlockRecord } from '../../src/state/serialize.ts';
import { sampleIdentity, sampleRecord, sampleRun } from './sample.ts';

const early = fs.readFileSync(new URL('../fixtures/state/early-0.1.json', import.meta.url), 'utf8');

function readEarly() {
  const result = parseBlockText(early, 'early-0.1');
  if (result.status !== 'ok') throw new Error(result.detail);
  return result.record;
}

it('keeps the unknown fields of the file, at the top and nested, when a record is changed and written', () => {
  const record = readEarly();
  const changed = { ...record, state: 'ended' as const, runs: [...record.runs, sampleRun()] };
  const before = JSON.parse(early);
  const after = JSON.parse(serializeBlockRecord(changed, before));
  expect(after).toMatchObject({ ...before, state: 'ended', runs: [before.runs[0], { cwd: '/home/dev/project' }] });
});

it('does not give the unknown fields of one run to another', () => {
  const record = { ...readEarly(), runs: [sampleRun()] };
  expect(JSON.parse(serializeBlockRecord(record, JSON.parse(early))).runs[0]).not.toHaveProperty('nice');
});

it('does not bring back a known field that was emptied', () => {
  const before = JSON.parse(serializeBlockRecord(sampleRecord({ parentId: 'parent' })));
  expect(JSON.parse(serializeBlockRecord(sampleRecord(), before)).parentId).toBeNull();
});

it('carries a field named __proto__ without touching any prototype', () => {
  const before = JSON.parse(`{"__proto__": {"polluted": true}, "tracker": {"__proto__": 1}}`);
  const text = serializeBlockRecord(sampleRecord(), before);
  expect(text).toContain('"__proto__"');
  expect(parseBlockText(text)).toEqual({ status: 'ok', record: sampleRecord() });
});

it('leaves out what is nested too deep to be written', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  const text = serializeBlockRecord(sampleRecord(), JSON.parse(`{"deep": ${deep}, "flat": 1}`));
  expect(JSON.parse(text)).toMatchObject({ flat: 1 });
  expect(JSON.parse(text)).not.toHaveProperty('deep');
});

it.each([
  ['a huge prompt', sampleRecord({ runs: [sampleRun({ argv: ['claude', '-p', 'é'.repeat(1_000_000), 'x'] })] })],
  ['control characters', sampleRecord({ runs: [sampleRun({ argv: ['\u0001'.repeat(1_000_000)] })] })],
  ['thousands of runs', sampleRecord({ runs: manyRuns(5000, 10) })],
  ['many runs with long arguments', sampleRecord({ runs: manyRuns(300, 20_000) })],
])(
  'stays readable with %s: cuts arguments and ended runs, never the newest run or one that lives',
  (_title, record) => {
    const text = serializeBlockRecord(record);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_RECORD_BYTES);
    const result = parseBlockText(text, record.id);
    if (result.status !== 'ok') throw new Error(result.detail);
    const roots = result.record.runs.map((run) => run.root?.pid);
    expect(roots.at(-1)).toBe(record.runs.at(-1)?.root?.pid);
    expect(roots).toEqual(
      expect.arrayContaining(record.runs.filter((run) => !run.endedAtMs).map((run) => run.root?.pid)),
    );
  },
);

function manyRuns(count: number, argvLength: number) {
  return Array.from({ length: count }, (_, index) =>
    sampleRun({
      root: sampleIdentity({ pid: 1000 + index }),
      argv: ['x'.repeat(argvLength)],
      endedAtMs: index === 3 ? undefined : 1_700_000_000_000,
    }),
  );
}

it('takes a record that no reader would accept for a bug', () => {
  const record = sampleRecord({ runs: [sampleRun({ root: sampleIdentity({ pid: 0 }) })] });
  expect(() => serializeBlockRecord(record)).toThrow(/^internal: block record of "claude-k3f9": runs\[0\]\.root\.pid/);
});
