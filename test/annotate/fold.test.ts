import { describe, expect, it } from 'vitest';
import { type FoldedNode, foldForest } from '../../src/annotate/fold.ts';
import type { ProcessRow } from '../../src/model/row.ts';
import { buildForest } from '../../src/model/tree.ts';
import { sampleRow } from './sample-rows.ts';

describe('foldForest', () => {
  it('folds eight orphans with the same command, with the oldest age and the sum of memory', () => {
    const rows = Array.from({ length: 8 }, (_, index) => sampleRow({ pid: 100 + index, ageMs: 8_000 - index }));
    const [node, ...others] = fold(rows);
    expect(others).toEqual([]);
    expect(node).toMatchObject({
      count: 8,
      pids: [100, 101, 102, 103, 104, 105, 106, 107],
      oldestAgeMs: 8_000,
      privateBytes: 8_000_000,
      cpuMs: 800,
      reparented: true,
    });
    expect(node?.row.pid).toBe(100);
  });

  it.each<[string, Partial<ProcessRow>]>([
    ['another command', { command: 'sleep 10' }],
    ['another parent', { parentPid: 100 }],
    ['another role', { role: 'plumbing' }],
    ['a root', { role: 'root' }],
    ['one that escaped', { escaped: true }],
    ['one with a listening socket', { listeners: [{ protocol: 'tcp', address: '::', port: 80 }] }],
    ['one without a known command', { command: undefined }],
  ])('keeps apart %s', (_title, fields) => {
    expect(print(fold([sampleRow({ pid: 100 }), sampleRow({ pid: 101, ...fields })]))).not.toContain('x2');
  });

  it('does not fold what has children, but folds the children', () => {
    const rows = [
      sampleRow({ pid: 100 }),
      sampleRow({ pid: 101 }),
      sampleRow({ pid: 102, parentPid: 100 }),
      sampleRow({ pid: 103, parentPid: 100 }),
    ];
    expect(print(fold(rows))).toBe('100(102x2) 101');
  });

  it('folds what has the same below it, and what is below', () => {
    const rows = [
      ...[100, 101, 102].map((pid) => sampleRow({ pid, command: 'sh -c x' })),
      ...[110, 111, 112].map((pid) => sampleRow({ pid, parentPid: pid - 10 })),
    ];
    expect(print(fold(rows))).toBe('100x3(110x3)');
    const server = sampleRow({ pid: 112, parentPid: 102, listeners: [{ protocol: 'tcp', address: '::', port: 80 }] });
    expect(print(fold([...rows.slice(0, 5), server]))).toBe('100x2(110x2) 102(112)');
  });

  it('is empty of nothing', () => {
    expect(foldForest([])).toEqual([]);
  });
});

function fold(rows: readonly ProcessRow[]): FoldedNode[] {
  return foldForest(buildForest(rows));
}

function print(nodes: readonly FoldedNode[]): string {
  return nodes
    .map(({ row, count, children }) => {
      return `${row.pid}${count > 1 ? `x${count}` : ''}${children.length > 0 ? `(${print(children)})` : ''}`;
    })
    .join(' ');
}
