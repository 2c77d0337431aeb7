import fs from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BlockRecord } from '../../src/model/block.ts';
import { parseBlockRecord, parseBlockText } from '../../src/state/schema.ts';
import { serializeBlockRecord } from '../../src/state/serialize.ts';
import { arbitraryRecord } from './arbitrary-record.ts';
import { sampleIdentity, sampleRecord, sampleRun } from './sample.ts';

it('reads back any record that it wrote', () => {
  fc.assert(
    fc.property(arbitraryRecord, (record) => {
      expect(parseBlockText(serializeBlockRecord(record), record.id)).toEqual({ status: 'ok', record });
    }),
  );
});

it('never throws on any JSON, and yields no record of it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
      expect(parseBlockRecord(json).status).toBe('unreadable');
    }),
  );
});

it('never throws on any text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseBlockText(text)));
});

it('never yields a record with an invalid field, whichever field holds whichever value', () => {
  const hostile = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(-1, 0, 1, 1.5, 2 ** 31, 2 ** 53, 1e300, '', '..', 'a/b', '/', '/a/../b', 'x\0', '4242'),
  );
  fc.assert(
    fc.property(arbitraryRecord, fc.nat(), hostile, (record, place, value) => {
      const json: unknown = JSON.parse(serializeBlockRecord(record));
      replaceLeaf(json, place, value);
      const result = parseBlockRecord(json);
      if (result.status === 'ok') expectValid(result.record);
    }),
    { numRuns: 1000 },
  );
});

/** Replaces one of all fields and items of the document, counted from `place` on. */
function replaceLeaf(json: unknown, place: number, value: unknown): void {
  const slots: Array<() => void> = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      slots.push(() => Object.defineProperty(node, key, { value, enumerable: true }));
      visit(Reflect.get(node, key));
    }
  };
  visit(json);
  slots[place % slots.length]?.();
}

/** Written apart from the guards, of what the rest of the program takes for granted. */
function expectValid(record: BlockRecord): void {
  expect(record.id).toMatch(/^[\w][\w.-]{0,63}$/);
  expect(record.tag).toMatch(/^[\w.-]+$/);
  expect(new Date(record.createdAtMs).toISOString()).toBeTypeOf('string');
  expect(record.tracker.cgroupPath ?? '/a').toMatch(/^(\/[^/]+)+$/);
  expect(record.tracker.cgroupPath?.split('/') ?? []).not.toContain('..');
  for (const run of record.runs) {
    expect(run.wrapper.pid).toBeGreaterThanOrEqual(1);
    expect(run.root?.pid ?? 2).toBeGreaterThan(1);
    for (const identity of [run.wrapper, run.root ?? run.wrapper]) {
      expect(Number.isInteger(identity.pid) && Number.isInteger(identity.startTicks)).toBe(true);
      expect(identity.startTicks).toBeGreaterThanOrEqual(0);
      expect(identity.bootId).toBeTypeOf('string');
    }
    for (const text of [...run.argv, run.cwd, run.tty ?? '']) expect(text).not.toContain('\0');
    for (const sid of run.callerSids) expect(Number.isInteger(sid) && sid >= 0).toBe(true);
  }
}

it.each([
  ['no object', [], 'the document is not an object'],
  ['no version', { ...sampleRecord(), schemaVersion: undefined }, 'schemaVersion is not 1'],
  ['version 0', { ...sampleRecord(), schemaVersion: 0 }, 'schemaVersion is not 1'],
  ['an id that leaves the directory', sampleRecord({ id: '../x' }), 'id is not a block id'],
  ['an empty tag', sampleRecord({ tag: '' }), 'tag is not a tag'],
  ['a root with pid 1', withRoot(1), 'runs[0].root.pid is not an integer from 2 to 4294967295'],
  ['a root with pid 0', withRoot(0), 'runs[0].root.pid is not an integer from 2 to 4294967295'],
  ['a root with a negative pid', withRoot(-4242), 'runs[0].root.pid is not an integer from 2 to 4294967295'],
  ['the root group', withGroup('/'), 'tracker.cgroupPath is not the absolute path of a group'],
  ['a group by ..', withGroup('/a/../b'), 'tracker.cgroupPath is not the absolute path of a group'],
  ['a relative group', withGroup('a'), 'tracker.cgroupPath is not the absolute path of a group'],
  ['a time that no Date holds', sampleRecord({ createdAtMs: 9e15 }), 'createdAtMs is not a time in ms'],
])('takes a record with %s for foreign and names the field', (_title, json, detail) => {
  expect(parseBlockRecord(json)).toEqual({ status: 'unreadable', reason: 'foreign', detail });
});

function withRoot(pid: number): BlockRecord {
  return sampleRecord({ runs: [sampleRun({ root: sampleIdentity({ pid }) })] });
}

function withGroup(cgroupPath: string): BlockRecord {
  return sampleRecord({ tracker: { ...sampleRecord().tracker, cgroupPath } });
}

it('takes a wrapper with pid 1, the first process of a container', () => {
  const record = sampleRecord({ runs: [sampleRun({ wrapper: sampleIdentity({ pid: 1 }) })] });
  expect(parseBlockRecord(record)).toEqual({ status: 'ok', record });
});

it('takes a record under another name for foreign', () => {
  expect(parseBlockRecord(sampleRecord(), 'other')).toMatchObject({ reason: 'foreign' });
});

it('tells a newer version before it looks at anything else', () => {
  const result = parseBlockRecord({ schemaVersion: 2, id: 7 });
  expect(result).toEqual({ status: 'unreadable', reason: 'newer', detail: 'schema version 2, known up to 1' });
});

const whole = serializeBlockRecord(sampleRecord());
it.each([
  ['empty', ''],
  ['cut off', whole.slice(0, 7)],
  ['of NUL bytes', '\0'.repeat(whole.length)],
  ['with a stale tail', `${whole}}}x\n`],
])('takes a file %s for torn', (_title, text) => {
  expect(parseBlockText(text)).toMatchObject({ status: 'unreadable', reason: 'torn' });
});

it('reads a file of an early version: missing fields are undefined, unknown ones no fault', () => {
  const text = fs.readFileSync(new URL('../fixtures/state/early-0.1.json', import.meta.url), 'utf8');
  const result = parseBlockText(text, 'early-0.1');
  if (result.status !== 'ok') throw new Error(result.detail);
  expect(result.record).toMatchObject({ agent: undefined, parentId: undefined, state: 'running' });
  expect(result.record).not.toHaveProperty('label');
  expect(result.record.tracker).toMatchObject({ cgroupPath: undefined, scope: undefined });
  expect(result.record.runs[0]).toMatchObject({ tty: undefined, endedAtMs: undefined, exit: undefined });
});
