import { describe, expect, it } from 'vitest';
import { buildForest, flattenForest, pruneForest, sortForest } from '../../src/model/tree.ts';

const item = (pid: number, parentPid: number) => ({ pid, parentPid, startTicks: pid });
const forest = buildForest([item(1, 0), item(2, 1), item(3, 1), item(4, 2), item(5, 0), item(6, 3)]);
const pids = (nodes: ReturnType<typeof buildForest>) => flattenForest(nodes).map((node) => node.item.pid);

describe('pruneForest', () => {
  it('keeps what is wanted with all that is above it', () => {
    expect(pids(pruneForest(forest, ({ pid }) => pid === 4))).toEqual([1, 2, 4]);
    expect(pids(pruneForest(forest, ({ pid }) => pid === 1 || pid === 5))).toEqual([1, 5]);
    expect(pids(pruneForest(forest, () => false))).toEqual([]);
  });
});

describe('sortForest', () => {
  it('orders siblings on every level and keeps who is below whom', () => {
    const descending = sortForest(forest, (items) => [...items].sort((a, b) => b.pid - a.pid));
    expect(pids(descending)).toEqual([5, 1, 3, 6, 2, 4]);
    expect(pids(forest)).toEqual([1, 2, 4, 3, 6, 5]);
  });
});
