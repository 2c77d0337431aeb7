import { describe, expect, it } from 'vitest';
import { type BlockQuestion, chooseBlock } from '../../src/launch/choose-block.ts';
import type { BlockRecord } from '../../src/model/block.ts';

const known = { id: 'known' } as BlockRecord;
const busy = { id: 'busy' } as BlockRecord;

function choose(question: Partial<BlockQuestion>) {
  const notes: string[] = [];
  const records = new Map([known, busy].map((record) => [record.id, record]));
  const choice = chooseBlock(
    {
      asked: undefined,
      inherited: undefined,
      isKnown: (id) => records.has(id),
      read: (id) => records.get(id),
      findObstacle: (record) => (record === busy ? 'is running' : undefined),
      ...question,
    },
    (text) => notes.push(text),
  );
  return { choice, notes };
}

describe('chooseBlock', () => {
  it('makes a new block if nothing names one', () => {
    expect(choose({})).toEqual({ choice: { type: 'new', parentId: undefined }, notes: [] });
    expect(choose({ inherited: '' })).toEqual({ choice: { type: 'new', parentId: undefined }, notes: [] });
  });

  it('makes a child of an inherited block that is known, live or not', () => {
    expect(choose({ inherited: 'busy' }).choice).toEqual({ type: 'new', parentId: 'busy' });
    expect(choose({ inherited: 'known' }).choice).toEqual({ type: 'new', parentId: 'known' });
  });

  it('takes over an inherited name that is not known: a host program set it', () => {
    expect(choose({ inherited: 'pane-7' }).choice).toEqual({
      type: 'named',
      id: 'pane-7',
      parentId: undefined,
      isAsked: false,
    });
  });

  it.each(['-x', '.x', 'a b', 'a/b', '../x', 'x'.repeat(65), 'ä'])(
    'passes over the inherited "%s" with a note',
    (inherited) => {
      const { choice, notes } = choose({ inherited });
      expect(choice).toEqual({ type: 'new', parentId: undefined });
      expect(notes).toEqual([expect.stringContaining(`"${inherited}"`)]);
    },
  );

  it('runs a block that has ended once more, as a child where it is started inside another', () => {
    expect(choose({ asked: 'known' }).choice).toEqual({ type: 'again', record: known, parentId: undefined });
    expect(choose({ asked: 'known', inherited: 'busy' }).choice).toMatchObject({ type: 'again', parentId: 'busy' });
    expect(choose({ asked: 'fresh', inherited: 'busy' }).choice).toMatchObject({ type: 'named', parentId: 'busy' });
  });

  it('never makes a block its own parent', () => {
    expect(choose({ asked: 'known', inherited: 'known' }).choice).toMatchObject({ type: 'again', parentId: undefined });
  });

  it('refuses a block whose run is alive, and a name that is none', () => {
    expect(() => choose({ asked: 'busy' })).toThrow(
      expect.objectContaining({ exitCode: 125, message: 'block "busy" is running' }),
    );
    expect(() => choose({ asked: '../x' })).toThrow(expect.objectContaining({ exitCode: 125 }));
    expect(() => choose({ asked: '' })).toThrow(expect.objectContaining({ exitCode: 125 }));
  });
});
