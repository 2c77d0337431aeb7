import { describe, expect, it } from 'vitest';
import { matchesFilters, parseFilters } from '../../src/filter/process-query.ts';
import type { ProcessRow } from '../../src/model/row.ts';
import { sampleRow } from '../annotate/sample-rows.ts';

const listener = { protocol: 'tcp', address: '::', port: 3000 } as const;

describe('matchesFilters', () => {
  it.each<[string, Partial<ProcessRow>, boolean]>([
    ['pid=100', {}, true],
    ['pid=10', {}, false],
    ['pid!=10', {}, true],
    ['role=started', {}, true],
    ['role=plumbing role=started', {}, true],
    ['role=plumbing state=S', {}, false],
    ['role=started state=S', {}, true],
    ['role=started role!=started', {}, false],
    ['command=SLEEP', {}, true],
    ['command=eep', {}, true],
    ['command!=sleep', {}, false],
    ['port=3000', { listeners: [listener] }, true],
    ['port=3000', { sharedListeners: [{ ...listener, ownerPid: 1 }] }, true],
    ['port=3000', { listeners: undefined }, false],
    ['port!=3000', { listeners: undefined }, true],
    ['agent=claude', { agent: 'claude' }, true],
    ['agent=claude', {}, false],
    ['agent!=claude', {}, true],
    ['escaped=true', { escaped: true }, true],
    ['escaped=false', {}, true],
    ['cpu>50', { cpuPercent: 60 }, true],
    ['cpu>50%', { cpuPercent: 40 }, false],
    ['cpu<50', { cpuPercent: undefined }, false],
    ['cpu>50', { cpuPercent: undefined }, false],
    ['memory>900K', {}, true],
    ['memory>1M', {}, false],
    ['memory>1.5MiB', { privateBytes: undefined }, true],
    ['age>9', {}, true],
    ['age>9s', {}, true],
    ['age<1m', {}, true],
    ['age>1h', {}, false],
    ['age>5 age<20', {}, true],
    ['', {}, true],
  ])('%s', (filters, fields, expected) => {
    const conditions = parseFilters(filters.split(' ').filter((text) => text !== ''));
    expect(matchesFilters(sampleRow(fields), conditions)).toBe(expected);
  });

  it('takes a value with blanks and signs as it is', () => {
    expect(matchesFilters(sampleRow({ command: 'a b=c > d' }), parseFilters(['command=b=c > d']))).toBe(true);
  });
});

describe('parseFilters', () => {
  it.each([
    ['', 'filter "" is no KEY=VALUE'],
    ['pid', 'filter "pid" is no KEY=VALUE'],
    ['pid=', 'filter "pid=" is no KEY=VALUE'],
    ['=1', 'filter "=1" is no KEY=VALUE'],
    ['colour=red', 'filter "colour=red" has an unknown key "colour"'],
    ['constructor=x', 'filter "constructor=x" has an unknown key "constructor"'],
    ['pid>3', 'filter "pid>3" cannot compare pid: use "=" or "!="'],
    ['cpu=3', 'filter "cpu=3" compares cpu: use ">" or "<"'],
    ['cpu>x', 'filter "cpu>x" has no valid value for cpu'],
    ['memory>3s', 'filter "memory>3s" has no valid value for memory'],
    ['age>-3', 'filter "age>-3" has no valid value for age'],
  ])('refuses "%s"', (text, message) => {
    expect(() => parseFilters([text])).toThrow(expect.objectContaining({ message, kind: 'usage' }));
  });
});
