import { describe, expect, it } from 'vitest';
import { parseSignal } from '../../src/kill/parse-signal.ts';

describe('parseSignal', () => {
  it.each([
    ['TERM', 'SIGTERM'],
    ['SIGTERM', 'SIGTERM'],
    ['15', 'SIGTERM'],
    ['term', 'SIGTERM'],
    ['9', 'SIGKILL'],
    ['hup', 'SIGHUP'],
    ['SigInt', 'SIGINT'],
  ])('reads %s as %s', (text, signal) => {
    expect(parseSignal(text)).toBe(signal);
  });
  it.each(['', '0', '-9', '64', '015', 'SIG', 'SIGSIGTERM', 'NOPE', '9.0', ' 9'])(
    'refuses %j as a usage error',
    (text) => {
      expect(() => parseSignal(text)).toThrow(expect.objectContaining({ kind: 'usage', code: 'bad-signal' }));
    },
  );
});
