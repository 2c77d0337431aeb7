import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bookLimits, deriveEntries, type EntriesInput, type EntriesOutcome } from '../../src/calls/entries.ts';
import { emptyBook } from '../../src/model/entry.ts';
import { agent, callOf, member, shell } from './entry-world.ts';

function derive(facts: Partial<EntriesInput> & Pick<EntriesInput, 'members'>): EntriesOutcome {
  return deriveEntries({
    labels: new Map(),
    book: emptyBook,
    bootId: 'boot',
    agentSessions: new Set([100]),
    nowMs: 100_000,
    startedAtMs: (ticks) => ticks * 10,
    portsOf: () => [],
    foregroundMs: 600_000,
    ...facts,
  });
}

/** What is left of the processes at a second look. */
function again(before: EntriesOutcome, facts: Partial<EntriesInput> & Pick<EntriesInput, 'members'>): EntriesOutcome {
  return derive({ nowMs: 105_000, book: before.book, ...facts });
}

const label = (pids: readonly number[], call: ReturnType<typeof callOf>) => new Map(pids.map((pid) => [pid, call]));

describe('an entry', () => {
  it('is a background call, with all its processes, from its start on', () => {
    const call = callOf(200, { background: true, command: 'npm  run\n dev', description: 'Dev server' });
    const members = [agent, shell(200, 'npm run dev', { taskId: 'b1' }), member({ pid: 201, ppid: 200, sid: 200 })];
    const { entries } = derive({
      members,
      labels: label([200, 201], call),
      portsOf: (pid) => (pid === 201 ? [80, 3, 80] : []),
    });
    expect(entries).toEqual([
      {
        ...{
          id: 'p1',
          source: 'background',
          command: 'npm run dev',
          name: 'sleep 600',
          taskId: 'b1',
          pid: 200,
          pgid: 200,
        },
        ...{ ports: [3, 80], startedAtMs: 2000, endedAtMs: undefined, status: 'running', pids: [200, 201], call },
      },
    ]);
  });

  it('is what outlived its call', () => {
    const members = [agent, member({ pid: 201, sid: 200 })];
    const { entries } = derive({ members, labels: label([201], callOf(200)) });
    expect(entries).toMatchObject([{ source: 'detached', command: 'sleep 600 &', pid: 201, startedAtMs: 2010 }]);
  });

  it('is what a call in progress has let go of already, without the rest of the call', () => {
    const members = [
      agent,
      shell(200, 'setsid a; b'),
      member({ pid: 201, ppid: 200, sid: 200 }),
      member({ pid: 202, sid: 202 }),
    ];
    expect(derive({ members }).entries).toMatchObject([{ source: 'detached', pids: [202] }]);
  });

  it('is a session of its own below a shell, where the command asks for that', () => {
    const processes = (command: string) => [agent, shell(200, command), member({ pid: 201, ppid: 200, sid: 201 })];
    expect(derive({ members: processes('setsid a & sleep 9') }).entries).toMatchObject([{ pids: [201] }]);
    expect(derive({ members: processes('script a') }).entries).toEqual([]);
  });

  it('is no call in progress, and nothing of the agent itself', () => {
    const plumbing = member({ pid: 150, ppid: 100, role: 'plumbing' });
    const members = [agent, plumbing, shell(200, 'make'), member({ pid: 201, ppid: 200, sid: 200 })];
    expect(derive({ members }).entries).toEqual([]);
    expect(derive({ members, labels: label([200, 201], callOf(200)) }).entries).toEqual([]);
  });

  it('is a call that runs for longer than the agent can have waited for it', () => {
    const members = [agent, shell(200, 'make', { taskId: 'b1' })];
    expect(derive({ members, nowMs: 603_000 }).entries).toMatchObject([
      { source: 'background', taskId: 'b1', command: 'make' },
    ]);
    expect(derive({ members, nowMs: 601_000 }).entries).toEqual([]);
    expect(derive({ members, nowMs: 603_000, foregroundMs: undefined }).entries).toEqual([]);
  });

  it('is all that a dead agent left, each session one', () => {
    const members = [
      member({ pid: 200, sid: 200 }),
      member({ pid: 201, sid: 200 }),
      member({ pid: 300 }),
      member({ pid: 301 }),
    ];
    expect(derive({ members }).entries.map(({ pids }) => pids)).toEqual([[200, 201], [300], [301]]);
  });

  it('is never one with others for session 0 alone, which is none', () => {
    const members = [member({ pid: 200, sid: 0 }), member({ pid: 201, sid: 0 })];
    const first = derive({ members });
    expect(first.entries.map(({ pids }) => pids)).toEqual([[200], [201]]);
    const later = again(first, { members: [member({ pid: 201, sid: 0 }), member({ pid: 300, sid: 0 })] });
    expect(later.entries.map(({ id, pids }) => [id, pids])).toEqual([
      ['p1', []],
      ['p2', [201]],
      ['p3', [300]],
    ]);
  });

  it('keeps its id while anything of it lives, also after its first process and with a child in another session', () => {
    const first = derive({
      members: [agent, member({ pid: 200, sid: 200 }), member({ pid: 201, ppid: 200, sid: 201 })],
    });
    const second = again(first, { members: [agent, member({ pid: 201, sid: 201 })] });
    expect(second.entries).toMatchObject([{ id: 'p1', pid: 201, status: 'running', startedAtMs: 2000 }]);
    const third = again(second, { members: [agent, member({ pid: 250, sid: 201 })] });
    expect(third.entries).toMatchObject([{ id: 'p1', pid: 250, status: 'running' }]);
  });

  it('has exited with its last process, and has no ports then', () => {
    const first = derive({ members: [agent, member({ pid: 200, sid: 200 })], portsOf: () => [80] });
    const second = again(first, { members: [agent] });
    expect(second.entries).toMatchObject([
      { id: 'p1', status: 'exited', ports: [], pids: [], endedAtMs: 105_000, pid: 200 },
    ]);
    expect(again(second, { members: [agent], nowMs: 200_000 })).toMatchObject({ isChanged: false });
  });

  it('of another boot has exited, nobody knows when', () => {
    const first = derive({ members: [member({ pid: 200, sid: 200 })] });
    const second = again(first, { members: [member({ pid: 200, sid: 200 })], bootId: 'next' });
    expect(second.entries).toMatchObject([
      { id: 'p1', status: 'exited', endedAtMs: undefined },
      { id: 'p2', status: 'running' },
    ]);
  });

  it('is not a later process that got its session number, and its id is not used again', () => {
    const first = derive({ members: [agent, member({ pid: 200, sid: 200 })] });
    const reused = member({ pid: 200, sid: 200, startTicks: 900 });
    expect(again(first, { members: [agent, reused] }).entries).toMatchObject([
      { id: 'p1', status: 'exited' },
      { id: 'p2', status: 'running' },
    ]);
  });

  it('that was seen before its call was known stays the same one', () => {
    const members = [agent, member({ pid: 201, sid: 200 })];
    const second = again(derive({ members }), { members, labels: label([201], callOf(200, { command: 'a &' })) });
    expect(second.entries).toMatchObject([{ id: 'p1', command: 'a &' }]);
    expect(second.entries).toHaveLength(1);
  });

  it('takes in what a background call does later, also from outside of its shell', () => {
    const call = callOf(200, { background: true, command: 'x' });
    const first = derive({ members: [agent, shell(200, 'x')], labels: label([200], call) });
    const second = again(first, { members: [agent, member({ pid: 300, sid: 300 })], labels: label([300], call) });
    expect(second.entries).toMatchObject([{ id: 'p1', source: 'background', status: 'running', pids: [300] }]);
  });

  it('that has exited long ago is forgotten when there are too many, its id is not', () => {
    let last = derive({ members: [agent] });
    const total = bookLimits.exited + 5;
    for (let n = 0; n < total; n += 1) last = again(last, { members: [agent, member({ pid: 200 + n, sid: 200 + n })] });
    last = again(last, { members: [agent] });
    expect(last.book).toMatchObject({ next: total + 1 });
    expect(last.book.entries).toHaveLength(bookLimits.exited);
    expect(last.book.entries[0]?.id).toBe('p6');
  });

  it('is never two for one process, and ids are never given twice', () => {
    const processes = fc.uniqueArray(
      fc.record({
        pid: fc.integer({ min: 101, max: 120 }),
        ppid: fc.integer({ min: 99, max: 120 }),
        sid: fc.integer({ min: 99, max: 120 }),
      }),
      { selector: ({ pid }) => pid, maxLength: 12 },
    );
    fc.assert(
      fc.property(fc.array(processes, { maxLength: 5 }), (looks) => {
        let last: EntriesOutcome = { entries: [], book: emptyBook, isChanged: false };
        for (const look of looks) {
          const known = new Set(last.book.entries.map(({ id }) => id));
          const { next } = last.book;
          last = again(last, { members: [agent, ...look.map(member)] });
          const pids = last.entries.flatMap((entry) => entry.pids);
          expect(new Set(pids).size).toBe(pids.length);
          const fresh = last.entries.filter(({ id }) => !known.has(id)).map(({ id }) => Number(id.slice(1)));
          expect(fresh.every((id) => id >= next)).toBe(true);
        }
      }),
    );
  });
});
