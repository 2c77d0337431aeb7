import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEnvironment, parseTag, parseVariables } from '../../../src/platform/linux/environ.ts';

const tags = new Set(['7f3a', '99cc']);
const tagOf = (text: string) => parseTag(Buffer.from(text), tags);

describe('parseTag', () => {
  it.each<[string, string, string | undefined]>([
    ['the first entry', 'AGENTMUX_TAG=7f3a\0A=1\0', '7f3a'],
    ['the last entry', 'A=1\0AGENTMUX_TAG=99cc\0', '99cc'],
    ['a second entry of the same name', 'AGENTMUX_TAG=old\0AGENTMUX_TAG=7f3a\0', '7f3a'],
    ['a longer name', 'MY_AGENTMUX_TAG=7f3a\0', undefined],
    ['a value that quotes the entry', 'A=AGENTMUX_TAG=7f3a\0', undefined],
    ['a longer value', 'AGENTMUX_TAG=7f3ab\0', undefined],
    ['a shorter value', 'AGENTMUX_TAG=7f3\0', undefined],
    ['an entry that is cut off', 'AGENTMUX_TAG=7f3a', undefined],
    ['an empty environment', '', undefined],
  ])('judges %s', (_, text, tag) => {
    expect(tagOf(text)).toBe(tag);
  });

  it('finds a tag wherever it stands, and only then', () => {
    const entry = fc.string({ unit: 'binary', minLength: 1 }).map((text) => text.replaceAll('\0', '0'));
    fc.assert(
      fc.property(fc.array(entry), fc.array(entry), (before, after) => {
        const join = (entries: string[]) => entries.map((text) => `${text}\0`).join('');
        expect(tagOf(join([...before, 'AGENTMUX_TAG=7f3a', ...after]))).toBe('7f3a');
        expect(tagOf(join([...before, ...after]))).toBeUndefined();
      }),
    );
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => parseTag(Buffer.from(bytes), tags) === undefined));
  });
});

describe('parseVariables', () => {
  const read = (text: string) => Object.fromEntries(parseVariables(Buffer.from(text), new Set(['A', 'B'])));

  it.each<[string, string, Record<string, string>]>([
    ['what is asked for', 'A=1\0C=2\0B=3=4\0', { A: '1', B: '3=4' }],
    ['the first of two, as getenv(3)', 'A=1\0A=2\0', { A: '1' }],
    ['no longer name and no quotation', 'XA=1\0C=A=2\0', {}],
    ['an empty value', 'A=\0', { A: '' }],
    ['a last entry without an end', 'C=1\0B=2', { B: '2' }],
    ['nothing', '', {}],
  ])('reads %s', (_, text, variables) => {
    expect(read(text)).toEqual(variables);
  });
});

describe('parseEnvironment', () => {
  it('drops what is left of an area that was written over', () => {
    expect(parseEnvironment(Buffer.from('A=1\0\0\0B=\n2\0'))).toEqual(['A=1', 'B=\n2']);
    expect(parseEnvironment(Buffer.from(''))).toEqual([]);
  });
});
