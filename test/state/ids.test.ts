import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isValidBlockId, newBlockId, resolveBlockPrefix } from '../../src/state/ids.ts';

it.each(['a', 'A.b_c-9', 'claude-k3f9', '0', '_x', 'x'.repeat(64)])('takes %j for an id', (text) => {
  expect(isValidBlockId(text)).toBe(true);
});

it.each(['', '.', '..', '.x', '-x', 'a/b', 'a\\b', 'a b', 'a\n', '\na', 'a\0', 'ä', 'x'.repeat(65)])(
  'does not take %j for an id',
  (text) => {
    expect(isValidBlockId(text)).toBe(false);
  },
);

it.each([
  ['claude', 'claude-aaaa'],
  ['/usr/local/bin/Codex', 'codex-aaaa'],
  ['C:\\Tools\\qwen.EXE', 'qwen-aaaa'],
  ['./gemini.mjs', 'gemini-aaaa'],
  ['my agent (dev)', 'my-agent-dev-aaaa'],
  ['.hidden', 'hidden-aaaa'],
  ['--flag', 'flag-aaaa'],
  ['日本', 'block-aaaa'],
  ['', 'block-aaaa'],
  ['dir/', 'block-aaaa'],
  ['x'.repeat(300), `${'x'.repeat(40)}-aaaa`],
])('names a block of %j %j', (command, expected) => {
  expect(newBlockId(command, () => 0)).toBe(expected);
});

it('makes a valid id of any text and any random number', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), random, (base, number) => {
      expect(newBlockId(base, () => number)).toSatisfy(isValidBlockId);
      expect(newBlockId(base, () => number)).toMatch(/-[a-z0-9]{4}$/);
    }),
  );
});

const ids = ['claude-k3f9', 'claude-k3', 'claude-zzzz', 'codex-1111', 'Codex-1111'];

it.each([
  ['an exact id wins over longer ones', 'claude-k3', { status: 'found', id: 'claude-k3' }],
  ['a unique prefix resolves', 'claude-z', { status: 'found', id: 'claude-zzzz' }],
  ['case counts', 'co', { status: 'found', id: 'codex-1111' }],
  [
    'an ambiguous prefix lists the candidates',
    'claude',
    { status: 'ambiguous', candidates: ['claude-k3', 'claude-k3f9', 'claude-zzzz'] },
  ],
  ['an unknown one is none', 'gemini', { status: 'none' }],
  ['the empty text is none, never all', '', { status: 'none' }],
])('%s', (_title, text, expected) => {
  expect(resolveBlockPrefix(ids, text)).toEqual(expected);
});

it.each(['con', 'NUL', 'aux.x', 'Com1', 'lpt9.claude', 'a.', 'claude-k3f9.'])(
  'does not take %j for an id, which Windows could not store',
  (text) => {
    expect(isValidBlockId(text)).toBe(false);
  },
);

it.each(['console', 'com', 'com10', 'nul-k3f9', 'a.con'])(
  'takes %j for an id, which only looks like a device',
  (text) => {
    expect(isValidBlockId(text)).toBe(true);
  },
);

it('names no block like a device of Windows', () => {
  expect(newBlockId('nul.sh', () => 0)).toBe('nul-sh-aaaa');
  expect(newBlockId('C:\\con', () => 0)).toSatisfy(isValidBlockId);
});
