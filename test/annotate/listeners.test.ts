import { describe, expect, it } from 'vitest';
import { assignListeners } from '../../src/annotate/listeners.ts';
import type { Listener } from '../../src/model/process.ts';

const web: Listener = { protocol: 'tcp', address: '127.0.0.1', port: 3000 };
const web6: Listener = { protocol: 'tcp6', address: '::', port: 3000 };

describe('assignListeners', () => {
  it('gives a socket that a child inherited to its parent', () => {
    const held = assign(
      [
        [11, 10],
        [10, 1],
      ],
      { 10: [web], 11: [web] },
    );
    expect(held.get(10)).toEqual({ owned: [web], shared: [] });
    expect(held.get(11)).toEqual({ owned: [], shared: [{ ...web, ownerPid: 10 }] });
  });

  it('gives a socket to the one nearest to the top, not to the oldest pid', () => {
    const held = assign(
      [
        [10, 1],
        [11, 10],
        [12, 11],
        [20, 10],
      ],
      { 12: [web], 20: [web] },
    );
    expect(held.get(20)?.owned).toEqual([web]);
    expect(held.get(12)?.owned).toEqual([]);
  });

  it('gives a socket of workers without a common holder to the oldest', () => {
    const held = assign(
      [
        [12, 10],
        [11, 10],
        [10, 1],
      ],
      { 11: [web], 12: [web] },
    );
    expect(held.get(11)?.owned).toEqual([web]);
    expect(held.get(12)?.shared).toEqual([{ ...web, ownerPid: 11 }]);
  });

  it('keeps v4 and v6 of one port apart, and a process may own one and share the other', () => {
    const held = assign(
      [
        [10, 1],
        [11, 10],
      ],
      { 10: [web], 11: [web, web6] },
    );
    expect(held.get(11)).toEqual({ owned: [web6], shared: [{ ...web, ownerPid: 10 }] });
  });

  it('reports a socket once that a process holds twice, ports ascending', () => {
    const low = { ...web, port: 80 };
    expect(assign([[10, 1]], { 10: [web, low, web] }).get(10)?.owned).toEqual([low, web]);
  });

  it('says nothing of a process whose sockets may not be seen', () => {
    expect(assign([[10, 1]], {}, [10]).get(10)).toEqual({ owned: undefined, shared: [] });
  });

  it('says nothing where nothing was asked', () => {
    expect(assignListeners([{ pid: 10, parentPid: 1, startTicks: 1 }], undefined).size).toBe(0);
  });
});

function assign(
  holders: readonly (readonly [number, number])[],
  byPid: Readonly<Record<number, readonly Listener[]>>,
  denied: readonly number[] = [],
) {
  return assignListeners(
    holders.map(([pid, parentPid]) => ({ pid, parentPid, startTicks: pid })),
    { byPid: new Map(Object.entries(byPid).map(([pid, list]) => [Number(pid), list])), denied: new Set(denied) },
  );
}
