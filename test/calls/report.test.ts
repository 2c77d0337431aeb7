import { describe, expect, it } from 'vitest';
import { isReportOf, parseReport, reportLimits, selectReports } from '../../src/calls/report.ts';

const now = 1_800_000_000_000;
const line = (fields: object) => JSON.stringify({ op: 'call', tool_id: 't1', pid: 7, ...fields });
const report = (pid: number, atMs: number, toolId = `t${pid}`) => ({ toolId, pid, description: undefined, atMs });

describe('parseReport', () => {
  it('reads a whole report', () => {
    expect(parseReport(line({ description: 'Dev server', timestamp: 5 }), now)).toEqual({
      toolId: 't1',
      pid: 7,
      description: 'Dev server',
      atMs: 5,
    });
  });

  it.each([
    ['another op', line({ op: 'pid' })],
    ['no op', JSON.stringify({ tool_id: 't', pid: 7 })],
    ['a negative pid', line({ pid: -1 })],
    ['a pid of 33 bits', line({ pid: 2 ** 32 })],
    ['a broken pid', line({ pid: 7.5 })],
    ['a pid in text', line({ pid: '7' })],
    ['no pid', line({ pid: undefined })],
    ['an empty tool id', line({ tool_id: '' })],
    ['a tool id that is a number', line({ tool_id: 5 })],
    ['a timestamp that is none', line({ timestamp: 'soon' })],
    ['a negative timestamp', line({ timestamp: -1 })],
    ['a list', '[1]'],
    ['null', 'null'],
    ['a torn line', '{"op":"call","tool_id":"t1","pi'],
    ['nothing', ''],
  ])('takes %s for no report', (_, text) => {
    expect(parseReport(text, now)).toBeUndefined();
  });

  it.each([
    ['the smallest pid', line({ pid: 0 }), { pid: 0 }],
    ['the largest pid', line({ pid: 0xffff_ffff }), { pid: 0xffff_ffff }],
    ['no timestamp as now', line({}), { atMs: now }],
    ['null as no timestamp', line({ timestamp: null }), { atMs: now }],
    ['a date in text', line({ timestamp: '2027-01-15T08:00:00.000Z' }), { atMs: now }],
    ['no description', line({}), { description: undefined }],
    ['a blank description as none', line({ description: ' \n ' }), { description: undefined }],
    ['a description that is no text as none', line({ description: 3 }), { description: undefined }],
    ['a description with blanks around it', line({ description: '  x y ' }), { description: 'x y' }],
    ['200 characters', line({ description: 'x'.repeat(200) }), { description: 'x'.repeat(200) }],
    ['201 characters, cut', line({ description: 'x'.repeat(201) }), { description: 'x'.repeat(200) }],
    ['201 emoji, cut at a character', line({ description: '😀'.repeat(201) }), { description: '😀'.repeat(200) }],
  ])('reads %s', (_, text, expected) => {
    expect(parseReport(text, now)).toMatchObject(expected);
  });
});

describe('selectReports', () => {
  it('lets a later report of a pid replace the earlier one, whatever their timestamps say', () => {
    expect(selectReports([report(1, 20, 'a'), report(2, 5), report(1, 10, 'b')])).toEqual([
      report(2, 5),
      report(1, 10, 'b'),
    ]);
  });

  it('keeps what is exactly 12 hours older than the newest, and nothing older', () => {
    const limit = now - reportLimits.keptMs;
    expect(selectReports([report(1, limit - 1), report(2, limit), report(3, now)]).map(({ pid }) => pid)).toEqual([
      2, 3,
    ]);
  });

  it('keeps 4,096 of 4,097, and the oldest goes', () => {
    const all = Array.from({ length: 4097 }, (_, i) => report(i, now + ((i * 7919) % 4097)));
    const oldest = all.find(({ atMs }) => atMs === now)?.pid;
    const kept = selectReports(all);
    expect(kept).toHaveLength(4096);
    expect(kept.some(({ pid }) => pid === oldest)).toBe(false);
    expect(kept.map(({ pid }) => pid)).toEqual(all.map(({ pid }) => pid).filter((pid) => pid !== oldest));
  });

  it('of equally old ones the one that came first goes', () => {
    const kept = selectReports(Array.from({ length: 4097 }, (_, i) => report(i, now)));
    expect(kept[0]?.pid).toBe(1);
  });
});

describe('isReportOf', () => {
  it.each([
    [-60_001, false],
    [-60_000, true],
    [0, true],
    [2000, true],
    [2001, false],
  ])('a process that started %i ms from the report: %s', (offset, expected) => {
    expect(isReportOf(report(1, now), now + offset)).toBe(expected);
  });

  it('trusts the pid where the start is unknown', () => {
    expect(isReportOf(report(1, now), undefined)).toBe(true);
  });
});
