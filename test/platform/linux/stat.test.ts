import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKernelThread, parseStat } from '../../../src/platform/linux/stat.ts';

const units = { pageBytes: 4096, ticksPerSecond: 100 };

/** A line as recorded from the kernel, with another name in it. */
function lineOf(comm: string | Buffer, flags = 4194304): string {
  const before = Buffer.from('4242 (');
  const after =
    `) S 4200 4242 4100 34817 4250 ${flags} 1093 20 3 1 250 50 7 8 20 0 11 0 987654 1234567168 2560 ` +
    '18446744073709551615 1 1 0 0 0 0 0 4096 1260 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n';
  return Buffer.concat([before, Buffer.from(comm), Buffer.from(after)]).toString('latin1');
}

describe('parseStat', () => {
  it('reads every field that is told, in its unit', () => {
    expect(parseStat(lineOf('node'), units)).toEqual({
      pid: 4242,
      ppid: 4200,
      pgid: 4242,
      sid: 4100,
      ttyNr: 34817,
      tpgid: 4250,
      startTicks: 987654,
      state: 'S',
      cpuMs: 3000,
      rssBytes: 2560 * 4096,
      comm: 'node',
    });
  });

  it.each(['a) S 1 (b', 'two\nlines', ') R 1 1', '((((', '))))', '', ' ', 'é'])(
    'is not misled by the name %j',
    (comm) => {
      expect(parseStat(lineOf(comm), units)).toMatchObject({
        pid: 4242,
        ppid: 4200,
        state: 'S',
        startTicks: 987654,
        comm,
      });
    },
  );

  it('keeps a foreground group of -1', () => {
    const line = lineOf('sh').replace(' 34817 4250 ', ' 0 -1 ');
    expect(parseStat(line, units)).toMatchObject({ ttyNr: 0, tpgid: -1 });
  });

  it('counts by the units of the kernel', () => {
    expect(parseStat(lineOf('sh'), { pageBytes: 65536, ticksPerSecond: 1000 })).toMatchObject({
      cpuMs: 300,
      rssBytes: 2560 * 65536,
    });
  });

  it.each(['', '4242', '4242 (sh', '4242 (sh)', '4242 (sh) S', '4242 (sh) S 1 2', 'x (sh) S 1 2 3', '(sh) S 1'])(
    'answers undefined to %j',
    (text) => {
      expect(parseStat(text, units)).toBeUndefined();
    },
  );

  it('reads the same fields whatever bytes the name holds', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 15 }), (comm) => {
        const stat = parseStat(lineOf(Buffer.from(comm)), units);
        expect(stat).toMatchObject({ pid: 4242, ppid: 4200, startTicks: 987654, rssBytes: 2560 * 4096 });
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const text = Buffer.from(bytes).toString('latin1');
        parseStat(text, units);
        isKernelThread(text);
      }),
    );
  });
});

describe('isKernelThread', () => {
  it('goes by the flag PF_KTHREAD alone', () => {
    expect(isKernelThread(lineOf('kthreadd', 0x208040))).toBe(true);
    expect(isKernelThread(lineOf('kworker/0:1', 0x84208060))).toBe(true);
    expect(isKernelThread(lineOf('[kthreadd]', 0x400000))).toBe(false);
  });
});
