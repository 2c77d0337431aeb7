import { describe, expect, it } from 'vitest';
import { type Change, ChangeFinder } from '../../src/watch/changes.ts';
import { flattenRows } from '../../src/watch/flat-rows.ts';
import { observe, sampleRows, watchBlock, watchEntry, watchRow } from './sample.ts';

const tell = (changes: readonly Change[]): string[] =>
  changes.map((change) => {
    if ('block' in change) return `${change.type} ${change.block.id}`;
    return `${change.type} ${'row' in change ? change.row.pid : change.entry.id}`;
  });

describe('ChangeFinder', () => {
  it('tells each process once when it comes and once when it has gone', () => {
    const finder = new ChangeFinder(false);
    finder.next(observe());
    const rows = [...sampleRows().filter(({ pid }) => pid !== 201), watchRow(400)];
    expect(tell(finder.next(observe({ rows: new Map([['b1', rows]]) })))).toEqual([
      'process-exited 201',
      'process-added 400',
    ]);
    expect(finder.next(observe({ rows: new Map([['b1', rows]]) }))).toEqual([]);
  });

  it('tells a pid that was given away as two processes', () => {
    const finder = new ChangeFinder(true);
    finder.next(observe());
    const rows = sampleRows().map((row) => (row.pid === 201 ? { ...row, startTicks: 9000 } : row));
    expect(tell(finder.next(observe({ rows: new Map([['b1', rows]]) })))).toEqual([
      'process-exited 201',
      'process-added 201',
    ]);
  });

  it('does not call exited what only became a helper of the agent', () => {
    const finder = new ChangeFinder(false);
    finder.next(observe());
    const rows = sampleRows().map((row) => (row.pid === 201 ? { ...row, role: 'plumbing' as const } : row));
    expect(finder.next(observe({ rows: new Map([['b1', rows]]) }))).toEqual([]);
    expect(tell(finder.next(observe({ rows: new Map([['b1', sampleRows().slice(0, 3)]]) })))).toContain(
      'process-exited 201',
    );
  });

  it('tells helpers with all', () => {
    const finder = new ChangeFinder(true);
    expect(tell(finder.next(observe()))).toEqual([
      'block-added b1',
      ...sampleRows().map(({ pid }) => `process-added ${pid}`),
    ]);
  });

  it('tells when a block changes its state or freezes, and its end last', () => {
    const finder = new ChangeFinder(false);
    finder.next(observe());
    expect(tell(finder.next(observe({ blocks: [watchBlock('b1', { cpuNowPercent: 99 })] })))).toEqual([]);
    expect(tell(finder.next(observe({ blocks: [watchBlock('b1', { frozen: true })] })))).toEqual(['block-changed b1']);
    const end = tell(finder.next(observe({ blocks: [], rows: new Map() })));
    expect(end.at(-1)).toBe('block-ended b1');
    expect(finder.next(observe({ blocks: [], rows: new Map() }))).toEqual([]);
  });

  it('tells entries that come, change and exit', () => {
    const finder = new ChangeFinder(false);
    const next = (...entries: ReturnType<typeof watchEntry>[]): string[] =>
      tell(finder.next(observe({ entries: new Map([['b1', entries]]) })));
    finder.next(observe());
    expect(next(watchEntry('p1'))).toEqual(['entry-added p1']);
    expect(next(watchEntry('p1'))).toEqual([]);
    expect(next(watchEntry('p1', { ports: [3000] }))).toEqual(['entry-changed p1']);
    expect(next()).toEqual(['entry-exited p1']);
    expect(next()).toEqual([]);
  });
});

describe('flattenRows', () => {
  it('tells a process of a block and of one inside it once, with the inner one', () => {
    const inner = watchBlock('b2', { parentId: 'b1' });
    const rows = new Map([
      ['b1', sampleRows()],
      ['b2', sampleRows().filter(({ pid }) => pid >= 300)],
    ]);
    const flat = flattenRows(observe({ blocks: [watchBlock('b1'), inner], rows }), false);
    expect(flat.map(({ pid }) => pid)).toEqual([200, 201, 300, 301, 302, 303, 304]);
  });
});
