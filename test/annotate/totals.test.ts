import { describe, expect, it } from 'vitest';
import { sumRows } from '../../src/annotate/totals.ts';
import { sampleRow } from './sample-rows.ts';

describe('sumRows', () => {
  it('adds up memory of its own and CPU, and lists each port once', () => {
    const listener = { protocol: 'tcp', address: '::', port: 3000 } as const;
    const rows = [
      sampleRow({ listeners: [listener, { ...listener, protocol: 'tcp6' }] }),
      sampleRow({ listeners: [{ ...listener, port: 80 }], sharedListeners: [{ ...listener, ownerPid: 100 }] }),
    ];
    expect(sumRows(rows)).toEqual({
      processes: 2,
      privateBytes: 2_000_000,
      memoryIsPartial: false,
      cpuMs: 200,
      ports: [80, 3000],
    });
  });

  it('does not know what no row knows', () => {
    const row = sampleRow({ privateBytes: undefined, cpuMs: undefined, listeners: undefined });
    expect(sumRows([row])).toEqual({
      processes: 1,
      privateBytes: undefined,
      memoryIsPartial: true,
      cpuMs: undefined,
      ports: undefined,
    });
  });

  it('marks a sum of which a part is unknown', () => {
    const totals = sumRows([sampleRow(), sampleRow({ privateBytes: undefined })]);
    expect(totals).toMatchObject({ privateBytes: 1_000_000, memoryIsPartial: true });
  });

  it('is zero of nothing', () => {
    expect(sumRows([])).toEqual({ processes: 0, privateBytes: 0, memoryIsPartial: false, cpuMs: 0, ports: [] });
  });
});
