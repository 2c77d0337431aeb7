import { describe, expect, it } from 'vitest';
import { loadTextWidth } from '../../src/render/width.ts';

describe('loadTextWidth', () => {
  it.each([
    ['ASCII', 'abc', 3],
    ['wide letters among others', 'a日本b', 6],
    ['a mark on the letter before it', 'ae\u0301b', 3],
    ['a keycap of a digit', 'x1\ufe0f\u20e3y', 4],
    ['a family in one cluster', 'a👨‍👩‍👧b', 4],
    ['a cut command', 'sleep…', 6],
  ])('counts the cells of %s', async (_what, text, cells) => {
    const textWidth = await loadTextWidth([text]);
    expect(textWidth(text)).toBe(cells);
  });

  it.each([
    ['one foreign character at its end', 'y'.repeat(200_000).concat('…'), 200_001],
    ['nothing but wide letters', '日'.repeat(100_000), 200_000],
    ['both by turns', 'a日'.repeat(50_000), 150_000],
  ])('measures a command line of 200 KB with %s in linear time', async (_what, text, cells) => {
    const textWidth = await loadTextWidth([text]);
    const before = performance.now();
    expect(textWidth(text)).toBe(cells);
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});
