import { describe, expect, it } from 'vitest';
import { findPortHolders, type PortSocket } from '../../src/annotate/ports.ts';

const socket = (port: number, pids: readonly number[], fields: Partial<PortSocket> = {}): PortSocket => ({
  ...{ protocol: 'tcp', address: '::', port, uid: 0, otherNamespace: false, pids },
  ...fields,
});

/** 1 > 10 > 20 > 30, and 1 > 11. */
const parents: Readonly<Record<number, number>> = { 30: 20, 20: 10, 10: 1, 11: 1 };
const holders = (...sockets: PortSocket[]) =>
  findPortHolders(sockets, (pid) => parents[pid]).map(({ port, pid, sharedWith }) => [port, pid, sharedWith]);

describe('findPortHolders', () => {
  it('takes the one farthest above for the server, also past one that does not hold the socket', () => {
    expect(holders(socket(80, [30, 10]))).toEqual([[80, 10, [30]]]);
    expect(holders(socket(80, [30, 20, 10]))).toEqual([[80, 10, [20, 30]]]);
  });

  it('tells holders that are not above one another apart', () => {
    expect(holders(socket(80, [20, 11]))).toEqual([
      [80, 11, []],
      [80, 20, []],
    ]);
  });

  it('puts workers with sockets of their own below their server', () => {
    expect(holders(socket(80, [10]), socket(80, [30]), socket(80, [20]))).toEqual([[80, 10, [20, 30]]]);
  });

  it('keeps what nobody that can be seen holds, and what is in other namespaces', () => {
    expect(holders(socket(80, []), socket(80, []))).toEqual([
      [80, undefined, []],
      [80, undefined, []],
    ]);
    const other = { otherNamespace: true };
    expect(holders(socket(80, [10], other), socket(80, [20], other), socket(80, [30]))).toHaveLength(3);
  });

  it('sorts by port, then by address', () => {
    expect(holders(socket(90, [10]), socket(80, [10], { protocol: 'tcp6' }), socket(80, [20]))).toEqual([
      [80, 20, []],
      [80, 10, []],
      [90, 10, []],
    ]);
  });

  it('ends where parents form a circle', () => {
    expect(findPortHolders([socket(80, [1, 2])], (pid) => (pid === 1 ? 2 : 1))).toHaveLength(2);
  });
});
