import { describe, expect, it } from 'vitest';
import { confirmDanger } from '../../src/commands/shared/confirm.ts';
import { main } from '../../src/main.ts';
import { createMemoryContext } from '../helpers/memory-context.ts';

describe('agentmux kill-tree', () => {
  it.each([[['--grace', 'x']], [['--grace', '-1']], [['--grace']], [['4711']], [['--nope']]])(
    'refuses %j as wrong usage and looks at nothing',
    async (argv) => {
      const context = createMemoryContext();
      expect(await main(['kill-tree', ...argv], context)).toBe(2);
      expect(context.stderr.text).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
      expect(context.stdout.text).toBe('');
    },
  );
});

describe('confirmDanger', () => {
  const danger = { sentence: 'this ends "b-1" too', command: 'agentmux kill-tree --yes' };
  const onTerminal = (answer: boolean) =>
    Object.assign(createMemoryContext({ isTTY: true }), { confirm: () => Promise.resolve(answer) });

  it('asks nobody with --yes', async () => {
    await expect(confirmDanger(createMemoryContext(), danger, true)).resolves.toBeUndefined();
  });
  it('wants --yes off a terminal, and says what to type', async () => {
    await expect(confirmDanger(createMemoryContext(), danger, false)).rejects.toMatchObject({
      kind: 'refused',
      code: 'needs-yes',
      hint: 'agentmux kill-tree --yes',
    });
  });
  it('asks on a terminal and takes no for an answer', async () => {
    await expect(confirmDanger(onTerminal(true), danger, false)).resolves.toBeUndefined();
    await expect(confirmDanger(onTerminal(false), danger, false)).rejects.toMatchObject({ code: 'not-confirmed' });
  });
});
