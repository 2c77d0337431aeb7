import { describe, expect, it } from 'vitest';
import { main } from '../../src/main.ts';
import { createMemoryContext } from '../helpers/memory-context.ts';

describe('agentmux wait', () => {
  it.each([
    [['--until', 'never']],
    [['--until', 'port']],
    [['--until', 'port=']],
    [['--until', 'port=0']],
    [['--until', 'port=70000']],
    [['--until', 'port=1\n']],
    [['--until']],
    [['--timeout', '-1']],
    [['--timeout', 'soon']],
    [['claude-k3f9']],
  ])('refuses %j as wrong usage and looks at nothing', async (argv) => {
    const context = createMemoryContext();
    expect(await main(['wait', ...argv], context)).toBe(2);
    expect(context.stderr.text).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
    expect(context.stdout.text).toBe('');
  });
});
