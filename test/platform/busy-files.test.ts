import { expect, it } from 'vitest';
import { retryWhileBusy } from '../../src/platform/busy-files.ts';

function failing(code: string, times: number) {
  const calls = { made: 0 };
  const action = (): string => {
    calls.made += 1;
    if (calls.made <= times) throw Object.assign(new Error(code), { code });
    return 'done';
  };
  return { calls, action };
}

it.each(['EPERM', 'EACCES', 'EBUSY'])('tries again on Windows while a file is open elsewhere (%s)', (code) => {
  const { action, calls } = failing(code, 5);
  expect(retryWhileBusy(action, true)).toBe('done');
  expect(calls.made).toBe(6);
});

it('gives up on Windows after half a second', () => {
  const { action, calls } = failing('EBUSY', 1000);
  expect(() => retryWhileBusy(action, true)).toThrow('EBUSY');
  expect(calls.made).toBeLessThan(15);
});

it.each([
  ['elsewhere', 'EPERM', false],
  ['for another reason', 'ENOSPC', true],
])('tries once %s', (_, code, isWindows) => {
  const { action, calls } = failing(code, 1);
  expect(() => retryWhileBusy(action, isWindows)).toThrow(code);
  expect(calls.made).toBe(1);
});
