import { expect, it } from 'vitest';
import { sessionOf } from '../../src/platform/sessions.ts';
import { member } from '../calls/entry-world.ts';

it.each([
  ['linux', 7, 7],
  ['linux', 0, 0],
  ['win32', 0, undefined],
  ['darwin', 0, undefined],
  ['darwin', 7, 7],
] as const)('compares sessions where they tell something: %s, %d is %s', (os, sid, expected) => {
  expect(sessionOf({ os }, member({ pid: 9, sid }).stat)).toBe(expected);
  expect(sessionOf({ os }, undefined)).toBeUndefined();
});
