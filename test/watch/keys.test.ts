import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeKeys, type Key } from '../../src/watch/keys.ts';

const nameOf = (key: Key): string => (key.type === 'named' ? key.name : `${key.type} ${key.text}`);

describe('decodeKeys', () => {
  it.each([
    ['arrows', '\x1b[A\x1b[B\x1b[C\x1b[D', ['up', 'down', 'right', 'left']],
    ['arrows in application mode', '\x1bOA\x1bOB', ['up', 'down']],
    [
      'pages and ends',
      '\x1b[5~\x1b[6~\x1b[H\x1b[F\x1b[1~\x1b[4~',
      ['pageup', 'pagedown', 'home', 'end', 'home', 'end'],
    ],
    ['tab both ways', '\t\x1b[Z', ['tab', 'backtab']],
    [
      'enter, rubout, control keys',
      '\r\x7f\x03\x1a\x0c\x15',
      ['enter', 'backspace', 'ctrl-c', 'ctrl-z', 'ctrl-l', 'ctrl-u'],
    ],
    ['letters of any script', 'kK漢', ['text k', 'text K', 'text 漢']],
    ['a paste, which is no key press', '\x1b[200~ky\n\x1b[201~q', ['paste ky\n', 'text q']],
    ['nothing for a sequence that is not known', '\x1b[25~q', ['text q']],
    ['nothing for other control characters', '\x01\x1fq', ['text q']],
  ])('reads %s', (_title, input, names) => {
    const { keys, rest } = decodeKeys(input, false);
    expect(keys.map(nameOf)).toEqual(names);
    expect(rest).toBe('');
  });

  it('waits for the rest of a sequence, and takes a lone escape character for the key when none comes', () => {
    expect(decodeKeys('q\x1b', false)).toEqual({ keys: [{ type: 'text', text: 'q' }], rest: '\x1b' });
    expect(decodeKeys('\x1b[', false).rest).toBe('\x1b[');
    expect(decodeKeys('\x1b', true).keys.map(nameOf)).toEqual(['escape']);
    expect(decodeKeys('\x1b[200~text', false).rest).toBe('\x1b[200~text');
  });

  it('reads the same keys however the input is cut', () => {
    const piece = fc.constantFrom('\x1b[A', '\x1bOB', 'k', 'é', '\t', '\x1b[200~y\x1b[201~', '\x1b[5~', '🧪');
    fc.assert(
      fc.property(fc.array(piece), fc.nat(), (pieces, seed) => {
        const input = pieces.join('');
        const whole = decodeKeys(input, true).keys;
        const at = input.length === 0 ? 0 : seed % input.length;
        // A terminal is read as text: no character is cut in two.
        if (/^[\udc00-\udfff]/.test(input.slice(at))) return;
        const first = decodeKeys(input.slice(0, at), false);
        const second = decodeKeys(first.rest + input.slice(at), true);
        expect([...first.keys, ...second.keys]).toEqual(whole);
      }),
    );
  });

  it('takes any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (input) => {
        expect(decodeKeys(input, true).rest).toBe('');
      }),
    );
  });
});
