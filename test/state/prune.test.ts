import { expect, it } from 'vitest';
import type { BlockRecord } from '../../src/model/block.ts';
import { PRUNE_AGE_MS, type PruneFacts, selectPrunable } from '../../src/state/prune.ts';
import { sampleIdentity, sampleRecord, sampleRun } from './sample.ts';

const now = 1_800_000_000_000;
const long = now - PRUNE_AGE_MS - 1;
const host = { machineId: 'machine-a', bootId: 'boot', pidNamespace: '4026531836' };

function facts(changes: Partial<PruneFacts> = {}): PruneFacts {
  return { host, isWrapperAlive: () => false, countMembers: () => 0, ...changes };
}

const endedLongAgo = sampleRecord({ createdAtMs: long, runs: [sampleRun({ startedAtMs: long, endedAtMs: long })] });
const killedLongAgo: BlockRecord = {
  ...endedLongAgo,
  state: 'running',
  runs: [sampleRun({ startedAtMs: long, endedAtMs: undefined, exit: undefined })],
};
const neverRan: BlockRecord = { ...endedLongAgo, state: 'starting', runs: [] };

it.each<[string, BlockRecord, PruneFacts]>([
  ['one that ended long ago', endedLongAgo, facts()],
  ['one that says "running" though wrapper and members are gone', killedLongAgo, facts()],
  ['one that never came to run', neverRan, facts()],
  ['one of an earlier boot', endedLongAgo, facts({ host: { ...host, bootId: 'later' } })],
  ['a stub that wrote its end', endedLongAgo, facts({ countMembers: () => undefined })],
])('selects %s', (_title, record, known) => {
  expect(selectPrunable([record], known, now)).toEqual([record]);
});

it.each<[string, BlockRecord, PruneFacts]>([
  ['one that ended a moment less than seven days ago', endsAt(now - PRUNE_AGE_MS), facts()],
  ['one that was created long ago and ran lately', endsAt(now - 1000), facts()],
  ['one of the future, after a clock step', endsAt(now + PRUNE_AGE_MS * 9), facts()],
  ['one with a live member', endedLongAgo, facts({ countMembers: () => 1 })],
  ['one with a live wrapper', killedLongAgo, facts({ isWrapperAlive: () => true })],
  ['one of another machine', endedLongAgo, facts({ host: { ...host, machineId: 'machine-b' } })],
  ['one of another pid namespace', ranIn('4026532999'), facts()],
  ['a stub whose end nobody wrote', killedLongAgo, facts({ countMembers: () => undefined })],
])('keeps %s', (_title, record, known) => {
  expect(selectPrunable([record], known, now)).toEqual([]);
});

function endsAt(endedAtMs: number): BlockRecord {
  return { ...endedLongAgo, runs: [sampleRun({ startedAtMs: long, endedAtMs: long }), sampleRun({ endedAtMs })] };
}

function ranIn(pidNamespace: string): BlockRecord {
  const run = sampleRun({ startedAtMs: long, endedAtMs: long, wrapper: sampleIdentity({ pidNamespace }) });
  return { ...endedLongAgo, runs: [run] };
}

it('looks only at what is old enough', () => {
  const refuse = () => {
    throw new Error('looked');
  };
  const young = sampleRecord({ createdAtMs: now });
  expect(selectPrunable([young], facts({ isWrapperAlive: refuse, countMembers: refuse }), now)).toEqual([]);
});

it('takes another age', () => {
  expect(selectPrunable([endsAt(now - 1000)], facts(), now, 500)).toHaveLength(1);
});
