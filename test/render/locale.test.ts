import { describe, expect, it } from 'vitest';
import { isUtf8Locale } from '../../src/render/locale.ts';

describe('isUtf8Locale', () => {
  it.each([
    [{}, false],
    [{ LANG: 'en_US.UTF-8' }, true],
    [{ LANG: 'C.utf8' }, true],
    [{ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, false],
    [{ LANG: 'C', LC_CTYPE: 'de_DE.UTF-8' }, true],
    [{ LANG: 'de_DE.UTF-8', LC_ALL: '' }, true],
    [{ LANG: 'de_DE@euro' }, false],
  ])('reads %o as %s', (env, expected) => expect(isUtf8Locale(env)).toBe(expected));
});
