import { describe, expect, it } from 'vitest';
import { parseSort, processSort, sortRows } from '../../src/filter/process-query.ts';
import { sampleRow } from '../annotate/sample-rows.ts';

const rows = [
  sampleRow({ pid: 1, privateBytes: 5, command: 'b' }),
  sampleRow({ pid: 2, privateBytes: undefined, command: 'a' }),
  sampleRow({ pid: 3, privateBytes: 9, command: 'b' }),
  sampleRow({ pid: 4, privateBytes: 7, command: undefined }),
];

describe('sortRows', () => {
  it.each([
    ['memory', [1, 4, 3, 2]],
    ['-memory', [3, 4, 1, 2]],
    ['command', [2, 1, 3, 4]],
    ['-command,memory', [1, 3, 2, 4]],
    ['-command,-memory', [3, 1, 2, 4]],
    ['-pid', [4, 3, 2, 1]],
    ['state', [1, 2, 3, 4]],
  ])('by %s, unknown last', (keys, pids) => {
    expect(sortRows(rows, parseSort(keys)).map(({ pid }) => pid)).toEqual(pids);
  });

  it('orders by start time without keys and leaves its input alone', () => {
    const given = [rows[2], rows[0]].filter((row) => row !== undefined);
    expect(sortRows(given, []).map(({ pid }) => pid)).toEqual([1, 3]);
    expect(given.map(({ pid }) => pid)).toEqual([3, 1]);
  });

  it.each(processSort.keys)('knows the key %s', (key) => {
    const listener = { protocol: 'tcp', address: '::', port: 80 } as const;
    const known = sampleRow({ pid: 9, agent: 'claude', listeners: [listener] });
    const bare = sampleRow({
      pid: 8,
      parentPid: undefined,
      ageMs: undefined,
      startedAtMs: undefined,
      cpuPercent: undefined,
    });
    const unknown = { ...bare, cpuMs: undefined, privateBytes: undefined, rssBytes: undefined, command: undefined };
    const last = { ...unknown, uid: undefined, state: undefined, blockId: 'z', role: 'z' as 'root', pid: 10 };
    expect(sortRows([last, known], parseSort(key)).map(({ pid }) => pid)).toEqual([9, 10]);
  });
});

describe('parseSort', () => {
  it.each(['', 'colour', 'pid,', '--pid', 'pid,,age', 'constructor'])('refuses "%s"', (text) => {
    expect(() => parseSort(text)).toThrow('cannot sort by');
  });
});
