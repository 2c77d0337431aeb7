import { getSystemErrorMap } from 'node:util';
import { expect, it } from 'vitest';
import { describeFailure, systemErrorWords } from '../../src/state/system-error.ts';

it.each([
  ['ENOSPC', errnoOf('ENOSPC'), 'no space left on device'],
  ['EROFS', errnoOf('EROFS'), 'read-only file system'],
  ['EACCES', errnoOf('EACCES'), 'permission denied'],
  ['UNKNOWN', -122, 'disk quota exceeded'],
  ['UNKNOWN', -9999, 'system error 9999'],
])('says %s %i in words', (code, errno, words) => {
  const error = Object.assign(new Error('raw'), { code, errno });
  expect(systemErrorWords(error)).toBe(words);
  expect(() =>
    describeFailure('write the state file', '/s/f', () => {
      throw error;
    }),
  ).toThrow(
    expect.objectContaining({
      kind: 'failed',
      code: 'state-unwritable',
      message: `cannot write the state file "/s/f": ${words}`,
      cause: error,
    }),
  );
});

/** Each system has numbers of its own. */
function errnoOf(code: string): number {
  return [...getSystemErrorMap()].find(([, [name]]) => name === code)?.[0] ?? 0;
}

it('lets a bug pass as it is', () => {
  const bug = new TypeError('x is not a function');
  const act = () =>
    describeFailure('write', '/s', () => {
      throw bug;
    });
  expect(act).toThrow(bug);
});
