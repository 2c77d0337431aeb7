import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeJson, escapeUntrusted } from '../../src/render/untrusted.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 200 });
const anyUtf16 = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 100 })
  .map((units) => String.fromCharCode(...units));

describe('escapeUntrusted', () => {
  it.each([
    ['plain text as it is', 'node server.js --port 80', 'node server.js --port 80'],
    ['letters of other scripts as they are', 'naïve Ελλάδα 日本 ไทย', 'naïve Ελλάδα 日本 ไทย'],
    ['a newline', 'a\nb', 'a\\nb'],
    ['a carriage return and a tab', '\r\t', '\\r\\t'],
    ['an OSC sequence', 'sleep\x1b]0;owned\x07', 'sleep\\x1b]0;owned\\x07'],
    ['DEL and a C1 introducer', '\x7f\x9b31m', '\\x7f\\x9b31m'],
    ['a bidi override', 'a\u202eb\u2066c\u200fd\u061c', 'a\\u202eb\\u2066c\\u200fd\\u061c'],
    ['zero-width characters', 'a\u200bb\u200cc\u2060d\ufeff', 'a\\u200bb\\u200cc\\u2060d\\ufeff'],
    ['a joiner outside an emoji', 'a\u200db', 'a\\u200db'],
    ['a joiner at the end of an emoji', '👩\u200d', '👩\\u200d'],
    ['a joined emoji kept whole', '👩🏽‍💻 ❤️‍🔥', '👩🏽‍💻 ❤️‍🔥'],
    ['a keycap kept whole', '1️⃣', '1️⃣'],
    ['a variation selector after a letter', 'a\ufe0f', 'a\\ufe0f'],
    ['tag characters', '🏴\u{e0067}', '🏴\\u{e0067}'],
    ['a lone surrogate', 'a\ud800b\udc00', 'a\\ud800b\\udc00'],
    ['line and paragraph separators', '\u2028\u2029', '\\u2028\\u2029'],
    ['characters drawn as nothing', 'a\u3164b\u034fc\u00ad', 'a\\u3164b\\u034fc\\xad'],
  ])('shows %s', (_what, text, shown) => {
    expect(escapeUntrusted(text)).toBe(shown);
  });

  it.each([
    ['text', anyText],
    ['any UTF-16 units', anyUtf16],
  ])('leaves no control, bidi or lone character in %s', (_what, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = escapeUntrusted(text);
        expect(shown).not.toMatch(
          /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\u200b\u200c\u2060\ufeff\u{e0000}-\u{e007f}]/u,
        );
        expect(escapeUntrusted(shown)).toBe(shown);
      }),
      { numRuns: 500 },
    );
  });

  it('gives no control characters when pieces are put together', () => {
    fc.assert(
      fc.property(anyUtf16, anyUtf16, (left, right) => {
        expect(escapeUntrusted(left) + escapeUntrusted(right)).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u);
      }),
    );
  });
});

describe('escapeJson', () => {
  it('keeps every value and prints only harmless characters', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.string({ unit: 'binary' }), (value, text) => {
        const document = JSON.stringify([value, text], undefined, 2);
        const escaped = escapeJson(document);
        expect(JSON.parse(escaped)).toEqual(JSON.parse(document));
        expect(escaped.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
    );
  });
});
