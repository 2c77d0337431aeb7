import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/platform/windows/command-line.ts';
import { findTag, findVariables, parseEnvironmentBlock } from '../../../src/platform/windows/environment.ts';
import { durationToMs, fileTimeToMicros } from '../../../src/platform/windows/file-time.ts';
import { parseMachineGuid } from '../../../src/platform/windows/host.ts';
import { parseSystemProcesses } from '../../../src/platform/windows/system-processes.ts';
import { parseTcpTable } from '../../../src/platform/windows/tcp-table.ts';

/** Quotes as "Parsing C command-line arguments" tells to. */
function quote(word: string): string {
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}

const noNul = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''));
const nasty = fc.string({ unit: fc.constantFrom('"', '\\', ' ', '\t', 'a') });

describe('a command line', () => {
  it.each([
    ['a', ['a']],
    ['"a b" c', ['a b', 'c']],
    ['"a\\" b', ['a\\', 'b']],
    ['a\\\\b c\\\\d', ['a\\\\b', 'c\\\\d']],
    ['x a\\\\\\"b', ['x', 'a\\"b']],
    ['x "a\\\\" b', ['x', 'a\\', 'b']],
    ['x "a b"c" d"', ['x', 'a bc d']],
    ['x ""', ['x', '']],
    ['x "a""b"', ['x', 'a"b']],
    ['x \t y  ', ['x', 'y']],
    ['"unclosed', ['unclosed']],
    ['', []],
  ])('%j is %j', (line, words) => {
    expect(parseCommandLine(line)).toEqual(words);
  });

  it('gives back the words that were quoted', () => {
    const words = fc.array(fc.oneof(noNul, nasty));
    fc.assert(
      fc.property(words, (args) => {
        expect(parseCommandLine(['"C:\\a b\\c.exe"', ...args.map(quote)].join(' '))).toEqual([
          'C:\\a b\\c.exe',
          ...args,
        ]);
      }),
    );
  });

  it('has words whatever it is', () => {
    fc.assert(fc.property(fc.oneof(noNul, nasty), (line) => parseCommandLine(line).length > 0 === (line !== '')));
  });
});

describe('an environment block', () => {
  it('gives back its variables', () => {
    const name = fc.stringMatching(/^[A-Za-z_(][A-Za-z0-9_()]{0,20}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(name, noNul)), (variables) => {
        const entries = variables.map(([key, value]) => `${key}=${value}`);
        const block = `=C:=C:\\\0${entries.map((entry) => `${entry}\0`).join('')}\0rubbish`;
        expect(parseEnvironmentBlock(block)).toEqual(entries);
        const first = new Map([...variables].reverse().map(([key, value]) => [key.toUpperCase(), value]));
        const names = new Set(variables.map(([key]) => key.toUpperCase()));
        expect(findVariables(entries, names)).toEqual(first);
      }),
    );
  });

  it('carries a tag as a whole value only', () => {
    const tags = new Set(['abc']);
    expect(findTag(['X=AGENTMUX_TAG=abc', 'MY_AGENTMUX_TAG=abc', 'AGENTMUX_TAG=abcd'], tags)).toBeUndefined();
    expect(findTag(['AGENTMUX_TAG=abc'], tags)).toBe('abc');
  });
});

it('a time is exact to the microsecond and never negative', () => {
  expect(fileTimeToMicros(116_444_736_000_000_000n)).toBe(0);
  expect(fileTimeToMicros(0n)).toBe(0);
  expect(fileTimeToMicros(134_405_497_029_691_209n)).toBe(1_796_076_102_969_120);
  expect(durationToMs(12_345_678n)).toBe(1234);
});

it('a machine has an id by its GUID, if it is one', () => {
  expect(parseMachineGuid('5841AF64-154b-49ee-9a32-557228428679')).toBe('5841af64154b49ee9a32557228428679');
  for (const text of [undefined, '', 'x', '00000000-0000-0000-0000-000000000000']) {
    expect(parseMachineGuid(text)).toBeUndefined();
  }
});

it('no bytes of the system break the parsers', () => {
  const bytes = fc.uint8Array({ minLength: 4, maxLength: 2000 }).map((array) => Buffer.from(array));
  fc.assert(
    fc.property(bytes, fc.bigInt(0n, 1n << 47n), (buffer, address) => {
      parseSystemProcesses(buffer, address);
      for (const { port } of [...parseTcpTable(buffer, 'tcp'), ...parseTcpTable(buffer, 'tcp6')]) {
        expect(port).toBeLessThan(65_536);
      }
    }),
  );
});
