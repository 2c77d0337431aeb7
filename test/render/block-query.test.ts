import { describe, expect, it } from 'vitest';
import { blockQuery } from '../../src/render/block-query.ts';
import type { BlockRow } from '../../src/render/block-table.ts';

function block(fields: Partial<BlockRow>): BlockRow {
  return {
    id: 'b1',
    agent: 'claude',
    kind: 'agent',
    parentId: undefined,
    status: 'running',
    tracker: {
      type: 'scan',
      confidence: 'best_effort',
      reasons: [],
      cgroupPath: undefined,
      scope: undefined,
      subreaper: true,
    },
    startedAtMs: 1_000,
    endedAtMs: undefined,
    agentStarted: 1,
    processes: 2,
    zombies: [],
    cpuMs: 5,
    cpuIncludesExited: false,
    privateBytes: 2048,
    memoryIsPartial: false,
    ports: [3000],
    redacted: false,
    runs: [],
    ...fields,
  };
}

const { filter, sort } = blockQuery(61_000);

describe('blockQuery', () => {
  it.each([
    ['status=running', true],
    ['status=leftovers', false],
    ['agent!=codex', true],
    ['tracker=scan confidence=best_effort', true],
    ['port=3000', true],
    ['port=3001', false],
    ['age>59s age<61s', true],
    ['memory>1K', true],
    ['processes>1', true],
    ['processes>2', false],
  ])('filters by %s', (texts, expected) => {
    expect(filter.matches(block({}), filter.parse(texts.split(' ')))).toBe(expected);
  });

  it('leaves what is unknown out of comparisons and puts it last', () => {
    const unknown = block({ id: 'b0', privateBytes: undefined });
    expect(filter.matches(unknown, filter.parse(['memory>0']))).toBe(false);
    expect(sort.sort([unknown, block({})], sort.parse('-memory')).map(({ id }) => id)).toEqual(['b1', 'b0']);
  });

  it('keeps the order of equal blocks', () => {
    const blocks = ['b3', 'b1', 'b2'].map((id) => block({ id }));
    expect(sort.sort(blocks, sort.parse('agent')).map(({ id }) => id)).toEqual(['b3', 'b1', 'b2']);
  });
});
