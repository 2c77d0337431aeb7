import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChildren } from '../../../src/platform/linux/children.ts';
import { parseFdKind } from '../../../src/platform/linux/fds.ts';
import { parseMachineId, readHost } from '../../../src/platform/linux/host.ts';
import { parseKernelUnits } from '../../../src/platform/linux/kernel-units.ts';
import { parseOpenFilesLimit } from '../../../src/platform/linux/limits.ts';
import { parseNamespaceInode } from '../../../src/platform/linux/links.ts';
import { parseEntries } from '../../../src/platform/linux/raw-args.ts';
import { parseUptimeMs } from '../../../src/platform/linux/time.ts';
import { formatTty } from '../../../src/platform/linux/tty.ts';

describe('formatTty', () => {
  it.each<[number, string | undefined]>([
    [0, undefined],
    [34816, 'pts/0'],
    [34819, 'pts/3'],
    [0x100000 | 0x8800, 'pts/256'],
    [1025, 'tty1'],
    [1088, 'ttyS0'],
    [0x501, 'console'],
    [0x500, '5:0'],
    [204 * 256 + 64, '204:64'],
  ])('names the device %i %s', (ttyNr, name) => {
    expect(formatTty(ttyNr)).toBe(name);
  });

  it('names every number but 0', () => {
    fc.assert(fc.property(fc.integer(), (ttyNr) => (formatTty(ttyNr) === undefined) === (ttyNr === 0)));
  });
});

describe('parseOpenFilesLimit', () => {
  const limits = (line: string) =>
    parseOpenFilesLimit(
      Buffer.from(
        'Limit                     Soft Limit           Hard Limit           Units     \n' +
          'Max processes             100                  200                  processes \n' +
          `${line}\n`,
      ),
    );

  it('reads the soft and the hard limit', () => {
    expect(limits('Max open files            1024                 1048576              files     ')).toEqual({
      soft: 1024,
      hard: 1048576,
    });
  });

  it('reads unlimited as Infinity', () => {
    expect(limits('Max open files            1024                 unlimited            files     ')).toEqual({
      soft: 1024,
      hard: Number.POSITIVE_INFINITY,
    });
  });

  it('answers undefined to anything else', () => {
    expect(limits('Max open files            many                 ')).toBeUndefined();
    fc.assert(fc.property(fc.uint8Array(), (bytes) => parseOpenFilesLimit(Buffer.from(bytes)) === undefined));
  });
});

describe('parseUptimeMs', () => {
  it('reads hundredths of a second', () => {
    expect(parseUptimeMs(Buffer.from('1140.82 2100.10\n'))).toBe(1140820);
    expect(parseUptimeMs(Buffer.from('soon'))).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => parseUptimeMs(Buffer.from(bytes)) === undefined));
  });
});

describe('parseKernelUnits', () => {
  const vector = (...words: number[]) => {
    const bytes = Buffer.alloc(words.length * 8);
    for (const [index, word] of words.entries()) bytes.writeBigUInt64LE(BigInt(word), index * 8);
    return bytes;
  };

  it('finds the page size and the clock tick in the auxiliary vector', () => {
    expect(parseKernelUnits(vector(33, 99, 6, 65536, 17, 250, 0, 0), 8)).toEqual({
      pageBytes: 65536,
      ticksPerSecond: 250,
    });
  });

  it('takes the usual units for what is not told', () => {
    expect(parseKernelUnits(vector(0, 0, 6, 65536), 8)).toEqual({ pageBytes: 4096, ticksPerSecond: 100 });
  });

  it('never throws, and never answers 0', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom(4 as const, 8 as const), (bytes, wordSize) => {
        const units = parseKernelUnits(Buffer.from(bytes), wordSize);
        expect(Math.min(units.pageBytes, units.ticksPerSecond)).toBeGreaterThan(0);
      }),
    );
  });
});

describe('parseChildren', () => {
  it('reads pids separated by blanks', () => {
    expect(parseChildren(Buffer.from('12 345 '))).toEqual([12, 345]);
    expect(parseChildren(Buffer.from(''))).toEqual([]);
  });

  it('gives back any list of pids, and never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4194304 })), (pids) => {
        expect(parseChildren(Buffer.from(pids.map((pid) => `${pid} `).join('')))).toEqual(pids);
      }),
    );
    fc.assert(fc.property(fc.uint8Array(), (bytes) => parseChildren(Buffer.from(bytes)).every((pid) => pid > 0)));
  });
});

describe('readHost', () => {
  it('finds the same machine, boot and namespace each time', () => {
    const host = readHost('/proc');
    expect(host).toEqual(readHost('/proc'));
    expect(host.bootId).toMatch(/^[0-9a-f-]{36}$/);
    expect(host.pidNamespace).toMatch(/^\d+$/);
    expect(host.machineId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('falls back to an id of the host name, the same each time, where no machine id is written', () => {
    const host = readHost('/proc', ['/nonexistent/machine-id', '/dev/null']);
    expect(host.machineId).toMatch(/^[0-9a-f]{32}$/);
    expect(host).toEqual(readHost('/proc', []));
  });

  it('leaves empty what procfs does not tell', () => {
    expect(readHost('/nonexistent')).toMatchObject({ bootId: '', pidNamespace: '' });
  });
});

describe('parseMachineId', () => {
  it('accepts only an id that was really set', () => {
    expect(parseMachineId(Buffer.from('3d1219c7c4c5404aaa1f6d2a48adfda4\n'))).toBe('3d1219c7c4c5404aaa1f6d2a48adfda4');
    for (const text of ['', 'uninitialized\n', '0'.repeat(32), '3d12']) {
      expect(parseMachineId(Buffer.from(text))).toBeUndefined();
    }
  });
});

describe('parseNamespaceInode', () => {
  it('reads the number of a namespace link', () => {
    expect(parseNamespaceInode('pid:[4026531836]')).toBe('4026531836');
    expect(parseNamespaceInode('/somewhere')).toBeUndefined();
  });
});

describe('parseFdKind', () => {
  it.each([
    ['socket:[12]', 'socket'],
    ['pipe:[12]', 'pipe'],
    ['/dev/pts/3', 'tty'],
    ['/dev/tty', 'tty'],
    ['/dev/null', 'file'],
    ['/home/u/socket:[1] (deleted)', 'file'],
    ['anon_inode:[eventpoll]', 'other'],
    ['net:[4026531840]', 'other'],
  ])('takes %s for a %s', (target, kind) => {
    expect(parseFdKind(target)).toBe(kind);
  });
});

describe('parseEntries', () => {
  it('keeps every byte, and says which entries text would lose', () => {
    const entries = parseEntries(Buffer.from([0x41, 0x3d, 0xff, 0, 0, 0x62, 0]));
    expect(entries.map(({ text, exact }) => [text, exact])).toEqual([
      ['A=\ufffd', false],
      ['', true],
      ['b', true],
    ]);
  });

  it('gives back the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const area = Buffer.concat([Buffer.from(bytes), Buffer.of(0)]);
        const nul = Buffer.of(0);
        expect(Buffer.concat(parseEntries(area).flatMap((entry) => [entry.bytes, nul]))).toEqual(area);
      }),
    );
  });
});
