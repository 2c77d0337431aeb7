import { describe, expect, it } from 'vitest';
import { describePriority, describeRefusals, type PriorityFacts } from '../../src/render/priority.ts';

const facts: PriorityFacts = { blockId: 'web', priority: 'normal', os: 'linux', isRoot: false };
const refused = [
  { pid: 12, code: 'EACCES' },
  { pid: 13, code: 'EACCES' },
];

describe('what became of a change of priority', () => {
  it('is one sentence where nothing was refused', () => {
    const result = { done: [12, 13], refused: [], isLimit: false };
    expect(describePriority(result, { ...facts, priority: 'below-normal' })).toBe(
      '2 processes of web run at below-normal priority now, and what they start',
    );
    expect(describePriority({ ...result, done: [12] }, facts)).toBe(
      '1 process of web runs at normal priority now, and what it starts',
    );
    expect(describePriority({ ...result, done: [] }, facts)).toBe('nothing of "web" lives');
    expect(describeRefusals(result, facts)).toEqual([]);
  });

  it.each([
    ['linux', false, 'sudo renice 0 -p $(ps -L -o lwp= -p 12,13)'],
    ['darwin', false, 'sudo renice 0 -p 12 13'],
    ['win32', false, 'in an elevated prompt: agentmux priority --block web normal'],
  ] as const)('names what to type on %s', (os, isRoot, command) => {
    const [, hint] = describeRefusals({ done: [], refused, isLimit: false }, { ...facts, os, isRoot });
    expect(hint).toBe(`to do it: ${command}`);
  });

  it('has nothing to type for root, who was refused by something else', () => {
    expect(describeRefusals({ done: [], refused, isLimit: false }, { ...facts, isRoot: true })).toEqual([
      '2 processes of web cannot be set to normal priority (EACCES)',
    ]);
  });
});
