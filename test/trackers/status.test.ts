import { describe, expect, it } from 'vitest';
import type { BlockRecord, BlockStatus } from '../../src/model/block.ts';
import { type StatusFacts, statusOf } from '../../src/trackers/status.ts';
import { blockRecord } from './block-record.ts';

const host = { machineId: 'm', bootId: 'b', pidNamespace: 'n' };
const wrapper = { pid: 20, startTicks: 100, bootId: 'b', pidNamespace: 'n' };

describe('statusOf', () => {
  const facts = (wrapperAlive: boolean, rootAlive: boolean, hasMembers: boolean): StatusFacts => {
    return { host, wrapperAlive, rootAlive, hasMembers };
  };

  it.each<[string, BlockRecord['state'], StatusFacts, BlockStatus]>([
    ['a run that begins', 'starting', facts(true, false, false), 'starting'],
    ['a run', 'running', facts(true, true, true), 'running'],
    ['an agent that has ended, its members not', 'running', facts(true, false, true), 'leftovers'],
    ['an agent that has ended just now', 'running', facts(true, false, false), 'running'],
    ['an ended run with members', 'ended', facts(false, false, true), 'leftovers'],
    ['an ended run whose wrapper lists what is left', 'ended', facts(true, false, true), 'leftovers'],
    ['an ended run', 'ended', facts(false, false, false), 'ended'],
    ['a killed wrapper whose agent lives', 'running', facts(false, true, true), 'wrapper-gone'],
    ['a wrapper that was killed while it began', 'starting', facts(false, false, true), 'wrapper-gone'],
    ['a killed wrapper of which nothing is left', 'running', facts(false, false, false), 'ended'],
  ])('%s is told by what lives', (_, state, seen, status) => {
    expect(statusOf(blockRecord({ state, wrapper }), seen)).toBe(status);
  });

  it('does not judge a record of another machine or pid namespace', () => {
    expect(statusOf(blockRecord({ machineId: 'other', wrapper }), facts(true, true, true))).toBe('elsewhere');
    const foreign = { ...wrapper, pidNamespace: 'other' };
    expect(statusOf(blockRecord({ wrapper: foreign }), facts(true, true, true))).toBe('elsewhere');
  });

  it('knows that nothing outlives a boot', () => {
    const before = { ...wrapper, bootId: 'before', pidNamespace: 'other' };
    expect(statusOf(blockRecord({ wrapper: before }), facts(true, true, true))).toBe('ended');
  });
});
