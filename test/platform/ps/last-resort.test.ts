import { describe, expect, it } from 'vitest';
import { createLastResort, parsePairs } from '../../../src/platform/ps/last-resort.ts';
import { ProgramError, type RunProgram } from '../../../src/platform/ps/run-program.ts';

const program = { node: '/node', script: '/list-processes.cjs' };

describe('createLastResort', () => {
  it('takes for the start of a process when it was first seen, and a pid that was away for another', () => {
    const listings = ['1 0 ?\n70 1 ?\n99 50 ?\n', '1 0 ?\n70 1 sh\n71 70 ?\n', '1 0 ?\n71 1 ?\n', '70 1 ?\n71 1 ?\n'];
    let seconds = 100;
    const { table } = createLastResort(play(listings), program, () => seconds++);
    const starts = listings.map(() => Object.fromEntries(table().map(({ pid, startSeconds }) => [pid, startSeconds])));
    expect(starts).toEqual([
      { 1: 100, 70: 100 },
      { 1: 100, 70: 100, 71: 101 },
      { 1: 100, 71: 101 },
      { 70: 103, 71: 101 },
    ]);
  });

  it('leaves out the program that lists, and what it starts', () => {
    const { table } = createLastResort(play(['50 1 ?\n51 50 ?\n52 1 ?\n']), program);
    expect(table().map(({ pid }) => pid)).toEqual([52]);
  });

  it('says why it can list nothing', () => {
    const failing: RunProgram = () => ({ pid: 50, text: 'no ps; no ps either\n', status: 1 });
    expect(() => createLastResort(failing, program).table()).toThrow(
      new ProgramError('pidtree and ps-tree: no ps; no ps either'),
    );
    expect(() => createLastResort(failing, { ...program, script: undefined }).table()).toThrow(/not installed/);
  });
});

describe('parsePairs', () => {
  it('passes over what is no line of it', () => {
    expect(parsePairs('x\n1 2\n3 4 a b\n-1 2 c\n')).toEqual([{ pid: 3, ppid: 4, name: 'a b' }]);
  });
});

/** Answers with one listing after another, by a process 50. */
function play(listings: readonly string[]): RunProgram {
  let next = 0;
  return () => ({ pid: 50, text: listings[next++] ?? '', status: 0 });
}
