import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesGlob } from '../../src/filter/glob.ts';

describe('matchesGlob', () => {
  it.each([
    ['gradle*', 'gradle-daemon', true],
    ['GRADLE*', 'gradle', true],
    ['*daemon*', 'a daemon b', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['gradle', 'gradle-daemon', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['[ab].(x)', '[ab].(x)', true],
  ])('%j on %j is %j', (pattern, text, matches) => {
    expect(matchesGlob(pattern, text)).toBe(matches);
  });

  it('agrees with a regular expression', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
    fc.assert(
      fc.property(word, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 }), (pattern, text) => {
        const expression = new RegExp(`^${pattern.replaceAll('?', '.').replaceAll('*', '.*')}$`);
        expect(matchesGlob(pattern, text)).toBe(expression.test(text));
      }),
    );
  });
});
