import { expect, it } from 'vitest';
import { readSources } from '../helpers/sources.ts';

it('never signals a group: of one it is only asked whether it exists', () => {
  const calls = readSources('src').flatMap(({ code }) => code.match(/kill\(\s*-[^)]*\)/g) ?? []);
  expect(calls).toEqual(['kill(-pgid, 0)']);
});
