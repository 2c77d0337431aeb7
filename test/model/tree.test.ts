import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildForest, filterForest, flattenForest, type TreeItem, type TreeNode } from '../../src/model/tree.ts';

describe('buildForest', () => {
  it('hangs children below their parents, oldest first, whatever the order', () => {
    expect(draw([item(13, 10), item(12, 11), item(10, 1), item(11, 10)], [10])).toBe('10(11(12) 13)');
  });

  it('marks at the top what was handed to a parent outside, the roots of the block not', () => {
    expect(draw([item(10, 1), item(20, 1)], [10])).toBe('10 20*');
  });

  it('takes a parent that started later for another process', () => {
    expect(draw([item(10, 1, 500), item(20, 10, 400)], [10])).toBe('20* 10');
  });

  it('puts unknown starts last and orders equal ones by pid', () => {
    expect(draw([row(3, undefined), row(2, 7), row(1, 7), row(4, 6)], [])).toBe('4* 1* 2* 3*');
  });

  it('shows each process of a circle once, below its oldest', () => {
    expect(draw([item(50, 51, 9), item(51, 50, 9), item(52, 50, 10)], [])).toBe('50(51 52)');
  });

  it('shows a process that is its own parent at the top', () => {
    expect(draw([item(50, 50)], [])).toBe('50');
  });

  it('does not mark a process whose parent is unknown', () => {
    expect(draw([item(50, undefined)], [])).toBe('50');
  });

  it('shows every process of any population exactly once', () => {
    const pid = fc.integer({ min: 1, max: 20 });
    const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
    const items = fc.uniqueArray(fc.record({ pid, parentPid: maybe(pid), startTicks: maybe(pid) }), {
      selector: (one) => one.pid,
    });
    fc.assert(
      fc.property(items, (all) => {
        const shown = flattenForest(buildForest(all)).map((node) => node.item);
        expect(shown).toHaveLength(all.length);
        expect(new Set(shown)).toEqual(new Set(all));
      }),
    );
  });

  it('grows a chain deeper than the stack', () => {
    const chain = Array.from({ length: 20_000 }, (_, index) => item(index + 2, index + 1));
    expect(flattenForest(filterForest(buildForest(chain), () => true))).toHaveLength(20_000);
  });
});

describe('filterForest', () => {
  it('lifts what is below a removed process to where that stood', () => {
    const forest = buildForest([item(10, 1), item(11, 10), item(12, 11), item(13, 10)], ({ pid }) => pid === 10);
    expect(print(filterForest(forest, ({ pid }) => pid !== 11))).toBe('10(12 13)');
    expect(print(filterForest(forest, ({ pid }) => pid > 11))).toBe('12 13');
  });
});

function item(pid: number, parentPid: number | undefined, startTicks: number | undefined = pid): TreeItem {
  return { pid, parentPid, startTicks };
}

/** A process with a parent outside. */
function row(pid: number, startTicks: number | undefined): TreeItem {
  return { pid, parentPid: 99, startTicks };
}

function draw(items: readonly TreeItem[], tops: readonly number[]): string {
  return print(buildForest(items, ({ pid }) => tops.includes(pid)));
}

function print(nodes: readonly TreeNode<TreeItem>[]): string {
  return nodes
    .map(({ item: { pid }, children, reparented }) => {
      return `${pid}${reparented ? '*' : ''}${children.length > 0 ? `(${print(children)})` : ''}`;
    })
    .join(' ');
}
