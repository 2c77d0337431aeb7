import { describe, expect, it } from 'vitest';
import { renderTree, type TreeLine } from '../../src/render/tree.ts';

const leaf = (text: string): TreeLine => ({ text, children: [] });
const forest: readonly TreeLine[] = [
  {
    text: 'claude-k3f9',
    children: [{ text: 'bash', children: [leaf('sleep 1'), leaf('node \x1b[31m')] }, leaf('vite')],
  },
  leaf('codex-ab12'),
];

describe('renderTree', () => {
  it('draws branches and escapes what it draws', async () => {
    const text = await renderTree(forest, { isTTY: false, columns: undefined, colorLevel: 0, unicode: true });
    expect(text).toMatchInlineSnapshot(`
      "claude-k3f9
      ├─ bash
      │  ├─ sleep 1
      │  └─ node \\x1b[31m
      └─ vite
      codex-ab12
      "
    `);
  });

  it('draws in ASCII and cuts to the terminal where asked', async () => {
    const text = await renderTree(forest, { isTTY: true, columns: 14, colorLevel: 0, unicode: false });
    expect(text).toMatchInlineSnapshot(`
      "claude-k3f9
      |- bash
      |  |- sleep 1
      |  \`- node \\x1b~
      \`- vite
      codex-ab12
      "
    `);
  });

  it('draws a chain that is deeper than the stack', async () => {
    let chain = leaf('deepest');
    for (let depth = 0; depth < 20_000; depth++) chain = { text: 'sh', children: [chain] };
    const text = await renderTree([chain], { isTTY: false, columns: undefined, colorLevel: 0, unicode: false });
    expect(text.split('\n')).toHaveLength(20_002);
  });
});
