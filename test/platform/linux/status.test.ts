import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStatus } from '../../../src/platform/linux/status.ts';

const recorded = [
  'Name:\tnode\\nUid:\\t7',
  'Umask:\t0022',
  'State:\tS (sleeping)',
  'Tgid:\t63',
  'Uid:\t1000\t0\t0\t0',
  'NSpid:\t63',
  'VmPeak:\t 1234 kB',
  'RssAnon:\t    7060 kB',
  'RssFile:\t   36000 kB',
  'VmSwap:\t      12 kB',
  '',
].join('\n');

describe('parseStatus', () => {
  it('reads the real user and the memory of its own', () => {
    expect(parseStatus(recorded)).toEqual({ uid: 1000, privateBytes: 7072 * 1024, innerPid: undefined });
  });

  it('tells the pid in the innermost namespace, where it differs', () => {
    const inner = (line: string) => parseStatus(recorded.replace('NSpid:\t63', line)).innerPid;
    expect(inner('NSpid:\t63\t12\t1')).toBe(1);
    expect(inner('NSpid:\t63\t63')).toBeUndefined();
    expect(inner('Other:\t1')).toBeUndefined();
  });

  it('does not know the memory of a zombie', () => {
    const zombie = recorded.replace(/^(RssAnon|VmSwap).*\n/gm, '');
    expect(parseStatus(zombie).privateBytes).toBeUndefined();
  });

  it('never throws', () => {
    const anything = fc.oneof(
      fc.uint8Array(),
      fc.string().map((text) => Buffer.from(`\nUid:${text}\nNSpid:${text}`)),
    );
    fc.assert(fc.property(anything, (bytes) => parseStatus(Buffer.from(bytes).toString('latin1')) !== undefined));
  });
});
