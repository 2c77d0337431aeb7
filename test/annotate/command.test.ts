import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeCommand, formatCommand } from '../../src/annotate/command.ts';

describe('formatCommand', () => {
  it.each<[readonly string[], string]>([
    [['npm', 'run', 'dev', '--', '--port=3000'], 'npm run dev -- --port=3000'],
    [['bash', '-c', 'npm test'], "bash -c 'npm test'"],
    [['echo', "it's"], "echo 'it'\\''s'"],
    [['x', '', '*', '#', '~', 'a~b', 'a#b', '$A'], "x '' '*' '#' '~' a~b a#b '$A'"],
    [['x', 'a\tb', 'a\nb', 'a\u00a0b'], "x 'a\tb' 'a\nb' 'a\u00a0b'"],
    [['/opt/grün/x', '@openai/codex@1', 'A=b,c:d%+'], '/opt/grün/x @openai/codex@1 A=b,c:d%+'],
  ])('of %j', (argv, text) => {
    expect(formatCommand(argv)).toBe(text);
  });

  it('is read back by a shell as it was', () => {
    const word = fc
      .string({ unit: fc.constantFrom(...'ab \t\n\'"\\$`*?[]{}()<>|&;!#~=-%^ü') })
      .filter((text) => !text.startsWith('\\\\'));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
        const text = formatCommand(argv);
        const out = execFileSync('sh', ['-c', `printf '%s\\0' ${text}`], { encoding: 'utf8' });
        expect(out.split('\0').slice(0, -1)).toEqual(argv.length === 0 ? [''] : argv);
      }),
      { numRuns: 30 },
    );
  });
});

describe('describeCommand', () => {
  it('puts comm in brackets where argv is empty, blank or unreadable', () => {
    expect(describeCommand([], 'node')).toBe('[node]');
    expect(describeCommand([''], 'node')).toBe('[node]');
    expect(describeCommand(undefined, 'node')).toBe('[node]');
  });

  it('is unknown where nothing is known', () => {
    expect(describeCommand(undefined, undefined)).toBeUndefined();
  });
});

it.each([
  ['C:\\bin\\node.exe', 'C:\\bin\\node.exe'],
  ['\\\\server\\share\\a-b.js', '\\\\server\\share\\a-b.js'],
  ['C:\\Program Files\\x.exe', "'C:\\Program Files\\x.exe'"],
  ['C:\\a$b', "'C:\\a$b'"],
  ['a\\b', "'a\\b'"],
  ['\\d+', "'\\d+'"],
])('shows the path %j of Windows as %s', (word, text) => {
  expect(formatCommand([word])).toBe(text);
});
