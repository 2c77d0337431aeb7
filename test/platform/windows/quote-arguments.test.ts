import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/platform/windows/command-line.ts';
import { quoteArgument, quoteCommand } from '../../../src/platform/windows/quote-arguments.ts';

/** No NUL, which no argument can hold. */
const argument = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
  fc.string({ unit: fc.constantFrom('\\', '"', ' ', '\t', 'a', '%', '^', '\n') }),
);

describe('quoteArgument', () => {
  it.each([
    ['plain', 'plain'],
    ['', '""'],
    ['a b', '"a b"'],
    ['a"b', '"a\\"b"'],
    ['C:\\dir\\', 'C:\\dir\\'],
    ['C:\\a dir\\', '"C:\\a dir\\\\"'],
    ['\\"', '"\\\\\\""'],
  ])('writes %j as %s', (text, quoted) => {
    expect(quoteArgument(text)).toBe(quoted);
  });

  it('gives each program back what it was given, by the rules of CommandLineToArgvW', () => {
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 8 }), (args) => {
        expect(parseCommandLine(quoteCommand('C:\\some dir\\p.exe', args))).toEqual(['C:\\some dir\\p.exe', ...args]);
      }),
      { numRuns: 2000 },
    );
  });
});
