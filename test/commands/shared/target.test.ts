import { describe, expect, it } from 'vitest';
import {
  type BlockLookup,
  type Caller,
  findOwnBlock,
  resolveTarget,
  selectListed,
} from '../../../src/commands/shared/target.ts';
import type { BlockRecord, BlockStatus } from '../../../src/model/block.ts';
import type { UnreadableRecord } from '../../../src/state/store.ts';
import type { BlockView } from '../../../src/trackers/inspect.ts';

const HOST = { machineId: 'here', bootId: 'boot', pidNamespace: 'ns' };
const OUTSIDE: Caller = { blockId: undefined, tag: undefined, groupPath: '/user', sessions: [7], command: 'kill-tree' };

interface Block {
  readonly id: string;
  readonly status?: BlockStatus;
  readonly sids?: readonly number[];
  readonly parentId?: string;
  readonly bootId?: string;
}

/** `tag` is 16 hex digits made of the id, so that group names can be told. */
function recordOf({ id, sids = [7, 1], parentId, bootId = HOST.bootId }: Block): BlockRecord {
  const wrapper = { pid: 100, startTicks: 1, bootId, pidNamespace: HOST.pidNamespace };
  const run = { wrapper, callerSids: sids, argv: ['claude'] };
  return { id, tag: tagOf(id), machineId: HOST.machineId, parentId, runs: [run] } as unknown as BlockRecord;
}

const tagOf = (id: string) => Buffer.from(id.padEnd(8, '-')).toString('hex').slice(0, 16);
const groupOf = (id: string) => `agentmux-${id}-${tagOf(id).slice(0, 8)}`;

function lookupOf(blocks: readonly Block[], unreadable: readonly UnreadableRecord[] = []): BlockLookup {
  const records = blocks.map(recordOf);
  const view = (record: BlockRecord) => {
    const status = blocks.find(({ id }) => id === record.id)?.status ?? 'running';
    return { record, status, members: [] } as unknown as BlockView;
  };
  return { records, unreadable, host: HOST, view };
}

const failure = (kind: string, facts: object = {}) => expect.objectContaining({ kind, ...facts });

describe('resolveTarget', () => {
  const blocks = lookupOf([{ id: 'claude-aaaa' }, { id: 'claude-bbbb' }, { id: 'codex-cccc', status: 'ended' }]);

  it.each([
    ['an id', 'claude-aaaa', 'claude-aaaa'],
    ['a unique prefix', 'claude-b', 'claude-bbbb'],
    ['a block that has ended', 'codex', 'codex-cccc'],
  ])('resolves %s', (_title, option, id) => {
    expect(resolveTarget(option, blocks, OUTSIDE).record.id).toBe(id);
  });

  it('refuses an ambiguous prefix and lists the candidates with the command to type', () => {
    expect(() => resolveTarget('claude', blocks, OUTSIDE)).toThrow(
      failure('refused', {
        code: 'ambiguous-block',
        hint: 'agentmux kill-tree --block claude-aaaa\nagentmux kill-tree --block claude-bbbb',
      }),
    );
  });

  it.each(['nope', '', 'CLAUDE-aaaa', '../x'])('finds no block %j', (option) => {
    expect(() => resolveTarget(option, blocks, OUTSIDE)).toThrow(failure('notFound', { code: 'no-such-block' }));
  });

  it('refuses a block of another machine or namespace', () => {
    const foreign = lookupOf([{ id: 'claude-aaaa', status: 'elsewhere' }]);
    expect(() => resolveTarget('claude-aaaa', foreign, OUTSIDE)).toThrow(failure('refused', { code: 'elsewhere' }));
  });

  it('fails for a record that cannot be read', () => {
    const torn = lookupOf([], [{ path: '/s/x.json', id: 'claude-aaaa', reason: 'torn', detail: 'empty' }]);
    const unreadable = failure('failed', { code: 'unreadable-record' });
    expect(() => resolveTarget('claude-a', torn, OUTSIDE)).toThrow(unreadable);
    expect(() => resolveTarget(undefined, torn, { ...OUTSIDE, blockId: 'claude-aaaa' })).toThrow(unreadable);
  });

  it('takes the block that we are in, before any other', () => {
    expect(resolveTarget(undefined, blocks, { ...OUTSIDE, tag: tagOf('claude-bbbb') }).record.id).toBe('claude-bbbb');
    expect(resolveTarget(true, blocks, { ...OUTSIDE, tag: tagOf('claude-bbbb') }).record.id).toBe('claude-bbbb');
  });

  describe('from outside', () => {
    it('takes the only live block that was started from this session', () => {
      const one = lookupOf([{ id: 'a-1' }, { id: 'b-1', sids: [8] }, { id: 'c-1', status: 'ended' }]);
      expect(resolveTarget(undefined, one, OUTSIDE).record.id).toBe('a-1');
    });

    it('takes the outermost of nested blocks', () => {
      const nested = lookupOf([{ id: 'outer-1' }, { id: 'inner-1', parentId: 'outer-1' }]);
      expect(resolveTarget(undefined, nested, OUTSIDE).record.id).toBe('outer-1');
    });

    it('refuses to choose among several', () => {
      expect(() => resolveTarget(undefined, blocks, OUTSIDE)).toThrow(
        failure('refused', { hint: expect.stringContaining('--block claude-bbbb') }),
      );
    });

    it('guesses none beside a damaged record, which may be that of another', () => {
      const torn = { path: '/s/b-1.json', id: 'b-1', reason: 'torn', detail: 'empty' } as const;
      const hint = 'agentmux kill-tree --block a-1';
      expect(() => resolveTarget(undefined, lookupOf([{ id: 'a-1' }], [torn]), OUTSIDE)).toThrow(
        failure('refused', { message: expect.stringContaining('"b-1" is damaged'), hint }),
      );
      const foreign = { ...torn, reason: 'foreign' } as const;
      expect(resolveTarget(undefined, lookupOf([{ id: 'a-1' }], [foreign]), OUTSIDE).record.id).toBe('a-1');
    });

    it('does not take a block of another session, were it the only one', () => {
      const other = lookupOf([{ id: 'b-1', sids: [8] }]);
      expect(() => resolveTarget(undefined, other, OUTSIDE)).toThrow(
        failure('refused', { hint: 'agentmux kill-tree --block b-1' }),
      );
    });

    it('does not take the session of an earlier boot for this one', () => {
      const old = lookupOf([{ id: 'b-1', bootId: 'earlier' }]);
      expect(() => resolveTarget(undefined, old, OUTSIDE)).toThrow(failure('refused'));
    });

    it('finds nothing where nothing lives', () => {
      const ended = lookupOf([{ id: 'b-1', status: 'ended' }]);
      expect(() => resolveTarget(undefined, ended, OUTSIDE)).toThrow(failure('notFound', { code: 'no-live-block' }));
    });
  });
});

describe('findOwnBlock', () => {
  const nested = lookupOf([{ id: 'outer-1' }, { id: 'inner-1', parentId: 'outer-1' }]);

  it('knows the innermost block by the names of the groups that we are in', () => {
    const groupPath = `/user/${groupOf('outer-1')}/${groupOf('inner-1')}/agent`;
    expect(findOwnBlock(nested, { ...OUTSIDE, groupPath })?.id).toBe('inner-1');
  });

  it('believes the enclosure before the environment', () => {
    const caller = { ...OUTSIDE, groupPath: `/${groupOf('outer-1')}`, tag: tagOf('inner-1') };
    expect(findOwnBlock(nested, caller)?.id).toBe('outer-1');
  });

  it('does not know a group by the id alone', () => {
    expect(findOwnBlock(nested, { ...OUTSIDE, groupPath: '/agentmux-outer-1-00000000' })).toBeUndefined();
  });

  it('knows the innermost block by the jobs that we are in, before the environment', () => {
    const isInJob = () => true;
    expect(findOwnBlock(nested, { ...OUTSIDE, isInJob, tag: tagOf('outer-1') })?.id).toBe('inner-1');
    const isInOuter = ({ id }: BlockRecord) => id === 'outer-1';
    expect(findOwnBlock(nested, { ...OUTSIDE, isInJob: isInOuter, tag: tagOf('inner-1') })?.id).toBe('outer-1');
  });

  it('takes a name that was exported', () => {
    expect(findOwnBlock(nested, { ...OUTSIDE, blockId: 'outer-1' })?.id).toBe('outer-1');
  });

  it('never passes over a name that names no block, not even inside one', () => {
    for (const caller of [OUTSIDE, { ...OUTSIDE, tag: tagOf('inner-1') }]) {
      expect(() => findOwnBlock(nested, { ...caller, blockId: 'outer' })).toThrow(failure('notFound'));
    }
  });

  it('refuses a name of another block than the one that we are in', () => {
    expect(() => findOwnBlock(nested, { ...OUTSIDE, tag: tagOf('inner-1'), blockId: 'outer-1' })).toThrow(
      failure('refused', { code: 'ambiguous-block' }),
    );
  });

  it('is in none outside of any', () => {
    expect(findOwnBlock(nested, OUTSIDE)).toBeUndefined();
  });
});

describe('selectListed', () => {
  const blocks = lookupOf([
    { id: 'a-1' },
    { id: 'b-1', status: 'leftovers', sids: [8] },
    { id: 'c-1', status: 'ended' },
    { id: 'd-1', status: 'elsewhere' },
  ]);
  it.each([
    ['every live block', undefined, ['a-1', 'b-1']],
    ['the named one, also if it has ended', 'c-1', ['c-1']],
    ['the named one, also of another machine', 'd-1', ['d-1']],
    ['the one that a change would take, for --block alone', true, ['a-1']],
  ] as const)('shows %s', (_title, option, ids) => {
    expect(selectListed(option, blocks, OUTSIDE).map((view) => view.record.id)).toEqual(ids);
  });
});
