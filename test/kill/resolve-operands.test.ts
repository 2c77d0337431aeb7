import { describe, expect, it } from 'vitest';
import { parseEntryOrTarget } from '../../src/kill/parse-target.ts';
import { type OperandWorld, resolveOperands } from '../../src/kill/resolve-operands.ts';
import type { Entry } from '../../src/model/entry.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { BlockView } from '../../src/trackers/inspect.ts';

interface Process {
  readonly pid: number;
  readonly ppid?: number;
  readonly role?: string;
  readonly state?: string;
  readonly ports?: readonly number[];
}

const START = 1000;
const MEMBERS: readonly Process[] = [
  { pid: 10, role: 'root', ports: [9000] },
  { pid: 11, ppid: 10, ports: [5173] },
  { pid: 12, ppid: 11, ports: [5173] },
];
const OTHERS: readonly Process[] = [
  { pid: 30, ports: [6000] },
  { pid: 31, ports: [6000, 7000] },
  { pid: 32, ports: [7000] },
];
const STRANGERS: readonly Process[] = [
  { pid: 50, ports: [8080] },
  { pid: 51, ppid: 11, state: 'Z' },
];

function viewOf(id: string, members: readonly Process[]): BlockView {
  const wrapper = { pid: 9, startTicks: START, bootId: 'boot', pidNamespace: 'ns' };
  return {
    record: { id, runs: [{ wrapper }] },
    wrapperAlive: true,
    members: members.map(({ pid, role = 'started' }) => ({ pid, role, startTicks: START + pid, source: 'enclosure' })),
  } as unknown as BlockView;
}

function worldOf(options: Partial<OperandWorld> = {}): OperandWorld {
  const table = [...MEMBERS, ...OTHERS, ...STRANGERS];
  const platform = {
    host: () => ({ machineId: 'm', bootId: 'boot', pidNamespace: 'ns' }),
    readStat: (pid: number) => {
      const found = table.find((one) => one.pid === pid);
      return found && { pid, ppid: found.ppid ?? 1, state: found.state ?? 'S', startTicks: START + pid };
    },
    readListeners: (pids: Iterable<number>) => ({
      byPid: new Map(
        [...pids].map((pid) => [pid, (table.find((one) => one.pid === pid)?.ports ?? []).map((port) => ({ port }))]),
      ),
      denied: new Set(),
    }),
  } as unknown as Platform;
  return {
    platform,
    views: [viewOf('mine-1', MEMBERS)],
    others: () => [viewOf('mine-1', MEMBERS), viewOf('other-1', OTHERS)],
    recorded: () => [
      { pid: 20, startTicks: 1500, bootId: 'boot' },
      { pid: 21, startTicks: 1500, bootId: 'earlier' },
    ],
    killer: { pid: 12, ancestors: new Set([9, 8, 1]), wrappers: new Map([[9, 'mine-1']]) },
    findEntry: (id) => ({ view: viewOf('mine-1', MEMBERS), entry: entryOf(id) }),
    entryOf: () => undefined,
    ...options,
  };
}

/** p1 runs, all others have exited. */
function entryOf(id: string): Entry {
  const isRunning = id === 'p1';
  return { id, pid: 11, pids: isRunning ? [11, 12] : [], status: isRunning ? 'running' : 'exited' } as unknown as Entry;
}

const resolve = (texts: readonly string[], options: Partial<OperandWorld> = {}) => {
  const { named, gone } = resolveOperands(texts.map(parseEntryOrTarget), worldOf(options));
  return { named: Object.fromEntries([...named].map(([id, pids]) => [id, [...pids.keys()]])), gone };
};
const killer = { pid: 99, ancestors: new Set<number>(), wrappers: new Map([[9, 'mine-1']]) };

describe('resolveOperands', () => {
  it.each([
    ['a pid', ['11'], { 'mine-1': [11] }],
    ['an identity', ['11:1011'], { 'mine-1': [11] }],
    ['both at once', ['11', '11:1011', '10'], { 'mine-1': [11, 10] }],
    ['every holder of a port', [':5173'], { 'mine-1': [11, 12] }],
    ['an entry', ['p1'], { 'mine-1': [11, 12] }],
  ])('finds the members that %s names', (_title, texts, named) => {
    expect(resolve(texts, { killer })).toEqual({ named, gone: [] });
  });

  it.each([
    ['a recorded member', '20', 1500],
    ['a recorded member by identity', '20:1500', 1500],
    ['an identity whose pid is free', '77:2000', 2000],
    ['an identity whose pid is another member by now', '11:1005', 1005],
    ['an identity whose pid is a stranger by now', '50:1005', 1005],
    ['a zombie below a member', '51', 1051],
  ])('says of %s that it has gone', (_title, text, startTicks) => {
    expect(resolve([text]).gone).toEqual([{ blockId: 'mine-1', pid: Number.parseInt(text, 10), startTicks }]);
  });

  it('says of an entry that has exited that it has gone', () => {
    expect(resolve(['p2'])).toEqual({ named: {}, gone: [{ blockId: 'mine-1', pid: 11, startTicks: undefined }] });
  });

  it('refuses an entry that it runs in', () => {
    expect(() => resolve(['p1'])).toThrow(expect.objectContaining({ kind: 'refused', code: 'protected' }));
  });

  it('ends with a server of an entry what it alone runs under, but not what runs more', () => {
    const member = (pid: number, ppid: number) => ({ pid, role: 'started', startTicks: START + pid, stat: { ppid } });
    const chain = [member(40, 1), member(41, 40), member(42, 41), member(43, 42), member(44, 41)];
    const view = { ...viewOf('mine-1', []), members: chain } as unknown as BlockView;
    const entry = { pids: [40, 41, 42, 43, 44] } as unknown as Entry;
    const ports = new Map([[43, [{ port: 3000 }]]]);
    const platform = {
      ...worldOf().platform,
      readListeners: () => ({ byPid: ports, denied: new Set() }),
    } as unknown as Platform;
    const world = { killer, platform, views: [view] };
    expect(resolve([':3000'], { ...world, entryOf: () => entry }).named).toEqual({ 'mine-1': [42] });
    expect(resolve([':3000'], world).named).toEqual({ 'mine-1': [43] });
  });

  it.each([
    ['a stranger', '50', 'agentmux ps'],
    ['a member of another block, and says of which', '30', 'agentmux kill --block other-1 30'],
    ['a pid that nobody has', '77', 'agentmux ps'],
    ['an identity older than the block', '77:999', 'agentmux ps'],
    ['a record of an earlier boot', '21', 'agentmux ps'],
  ])('does not know %s', (_title, text, hint) => {
    expect(() => resolve([text])).toThrow(expect.objectContaining({ kind: 'notFound', code: 'not-a-member', hint }));
  });

  it.each([
    ['itself', '12'],
    ['its wrapper', '9'],
    ['its ancestor', '8'],
  ])('refuses to end %s', (_title, text) => {
    expect(() => resolve([text])).toThrow(expect.objectContaining({ kind: 'refused', code: 'protected' }));
  });

  it('judges all operands before any is carried out', () => {
    expect(() => resolve(['11', '9'])).toThrow(expect.objectContaining({ kind: 'refused' }));
  });

  it.each([
    ['a port that nobody holds', ':4', { kind: 'notFound' }],
    ["a stranger's port", ':8080', { kind: 'notFound' }],
    ["another block's port", ':7000', { kind: 'notFound' }],
    ['the port of the agent itself', ':9000', { kind: 'refused', code: 'agent-port' }],
  ])('does not take %s', (_title, text, facts) => {
    expect(() => resolve([text], { killer })).toThrow(expect.objectContaining(facts));
  });

  it('does not choose between two blocks that listen on one port', () => {
    const views = [viewOf('a-1', [{ pid: 31 }]), viewOf('b-1', [{ pid: 32 }])];
    expect(() => resolve([':7000'], { views, killer })).toThrow(
      expect.objectContaining({
        kind: 'refused',
        hint: 'agentmux kill --block a-1 :7000\nagentmux kill --block b-1 :7000',
      }),
    );
  });
});
