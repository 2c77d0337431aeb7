import { describe, expect, it } from 'vitest';
import { parseAge } from '../../src/commands/shared/parse-age.ts';
import { main } from '../../src/main.ts';
import { createMemoryContext } from '../helpers/memory-context.ts';

describe('agentmux prune', () => {
  it.each([[['--older-than', '-1']], [['--older-than', 'x']], [['--older-than', '7']], [['--older-than']], [['x']]])(
    'refuses %j as wrong usage and looks at nothing',
    async (argv) => {
      const context = createMemoryContext();
      expect(await main(['prune', ...argv], context)).toBe(2);
      expect(context.stderr.text).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
    },
  );
});

describe('parseAge', () => {
  it.each([
    ['0', 0],
    ['30s', 30_000],
    ['90m', 5_400_000],
    ['36h', 129_600_000],
    ['7d', 604_800_000],
  ])('reads %s', (text, ms) => {
    expect(parseAge(text, '--older-than')).toBe(ms);
  });
});
