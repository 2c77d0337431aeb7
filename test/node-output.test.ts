import { describe, expect, it } from 'vitest';
import { selectColorLevel } from '../src/node-output.ts';

describe('selectColorLevel', () => {
  it.each([
    ['a terminal', {}, true, 1],
    ['a pipe', {}, false, 0],
    ['a dumb terminal', { TERM: 'dumb' }, true, 0],
    ['a terminal of 256 colours', { TERM: 'xterm-256color' }, true, 2],
    ['a terminal of all colours', { COLORTERM: 'truecolor' }, true, 3],
    ['NO_COLOR on a terminal', { NO_COLOR: '1' }, true, 0],
    ['an empty NO_COLOR', { NO_COLOR: '' }, true, 1],
    ['NO_COLOR before FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, 0],
    ['FORCE_COLOR on a pipe', { FORCE_COLOR: '1' }, false, 1],
    ['FORCE_COLOR with a level', { FORCE_COLOR: '3' }, false, 3],
    ['FORCE_COLOR=0 on a terminal', { FORCE_COLOR: '0' }, true, 0],
    ['CLICOLOR_FORCE on a pipe', { CLICOLOR_FORCE: '1' }, false, 1],
    ['CLICOLOR_FORCE=0 on a pipe', { CLICOLOR_FORCE: '0' }, false, 0],
  ])('for %s', (_what, env, isTTY, level) => {
    expect(selectColorLevel(env, () => isTTY)).toBe(level);
  });
});
