import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findConsoleHosts, findRefusal, selectBlock, selectSameSession, selectTree } from '../../src/kill/plan.ts';
import type { MemberView } from '../../src/trackers/inspect.ts';
import { noEvidence } from '../helpers/evidence.ts';

function member(pid: number, ppid: number, facts: Partial<MemberView> & { sid?: number } = {}): MemberView {
  const startTicks = facts.startTicks ?? pid;
  return {
    pid,
    startTicks,
    source: 'enclosure',
    confidence: 'high',
    escaped: false,
    role: 'started',
    because: '',
    evidence: noEvidence,
    argv: undefined,
    exe: undefined,
    ...facts,
    stat: {
      pid,
      ppid,
      pgid: pid,
      sid: facts.sid ?? 1,
      ttyNr: 0,
      tpgid: -1,
      startTicks,
      state: 'S',
      cpuMs: 0,
      rssBytes: 0,
      comm: 'x',
    },
  };
}

const pids = (members: readonly MemberView[]) => members.map(({ pid }) => pid);

describe('findConsoleHosts', () => {
  const members = [member(4, 1), member(8, 4, { exe: 'C:\\Windows\\System32\\conhost.exe' }), member(12, 4)];

  it('finds those of the block that we are in, since with our console we would end', () => {
    expect([...findConsoleHosts(members, 12)]).toEqual([8]);
  });

  it('finds them where something is kept, which would end with its console', () => {
    expect([...findConsoleHosts(members, 16, new Set([12]))]).toEqual([8]);
    expect([...findConsoleHosts(members, 16, new Set())]).toEqual([]);
  });

  it('finds none where we are outside: they are members like others', () => {
    expect([...findConsoleHosts(members, 16)]).toEqual([]);
  });
});

describe('selectBlock', () => {
  const everything = { startedOnly: false, escaped: false, spare: new Set<number>() };
  const members = [
    member(10, 1, { role: 'root' }),
    member(11, 10, { role: 'plumbing' }),
    member(12, 10),
    member(13, 1, { escaped: true, source: 'tag' }),
    member(14, 12, { escaped: true, source: 'descent' }),
    member(15, 1, { escaped: true, source: 'recorded' }),
  ];

  it.each([
    ['all but what carries the tag alone', everything, [10, 11, 12, 14, 15], [13]],
    ['the tagged too, where asked for', { ...everything, escaped: true }, [10, 11, 12, 13, 14, 15], []],
    ['only what was started', { ...everything, startedOnly: true }, [12, 14, 15], [13]],
    ['nobody who is spared', { ...everything, spare: new Set([12, 13]) }, [10, 11, 14, 15], []],
  ])('selects %s', (_title, options, selected, leftOut) => {
    const selection = selectBlock(members, options);
    expect(pids(selection.selected)).toEqual(selected);
    expect(pids(selection.leftOut)).toEqual(leftOut);
  });

  it('never selects pid 0 or 1, whatever a look says', () => {
    expect(selectBlock([member(0, 0), member(1, 0)], everything).selected).toEqual([]);
  });
});

describe('selectTree', () => {
  it('answers the named and what descends from them, parents first', () => {
    const members = [member(14, 13), member(13, 12), member(12, 10), member(10, 1), member(20, 10)];
    expect(pids(selectTree(members, new Set([12])))).toEqual([12, 13, 14]);
  });
  it('does not believe a parent that is younger than its child', () => {
    expect(pids(selectTree([member(12, 1, { startTicks: 500 }), member(13, 12)], new Set([12])))).toEqual([12]);
  });
  it('ends on a cycle', () => {
    const members = [member(12, 13, { startTicks: 5 }), member(13, 12, { startTicks: 5 })];
    expect(pids(selectTree(members, new Set([12])))).toEqual([12, 13]);
  });
  it('answers nothing for a pid that is no member', () => {
    expect(selectTree([member(12, 10)], new Set([999]))).toEqual([]);
  });
  it('never answers who is not a member, on any table', () => {
    const table = fc.array(fc.record({ pid: fc.integer({ min: 2, max: 40 }), ppid: fc.integer({ min: 0, max: 40 }) }));
    fc.assert(
      fc.property(table, fc.array(fc.integer({ min: 0, max: 60 })), (rows, wanted) => {
        const members = rows.map(({ pid, ppid }) => member(pid, ppid));
        const known = new Set(pids(members));
        expect(pids(selectTree(members, new Set(wanted))).every((pid) => known.has(pid))).toBe(true);
      }),
    );
  });
});

describe('selectSameSession', () => {
  it('answers what was started in the same session and is not ended', () => {
    const members = [
      member(10, 1, { role: 'root', sid: 10 }),
      member(11, 10, { sid: 11 }),
      member(12, 11, { sid: 11 }),
      member(13, 10, { sid: 13 }),
      member(14, 10, { role: 'plumbing', sid: 10 }),
    ];
    expect(pids(selectSameSession(members, [members[2] as MemberView]))).toEqual([11]);
    expect(selectSameSession(members, [members[0] as MemberView])).toEqual([]);
  });
});

describe('findRefusal', () => {
  const killer = {
    pid: 50,
    ancestors: new Set([40, 30, 1]),
    wrappers: new Map([
      [20, 'claude-abcd'],
      [30, 'outer-1'],
    ]),
  };
  it.each([
    [0, /is no process of an agent/],
    [1, /is no process of an agent/],
    [50, /is this agentmux itself/],
    [20, /is agentmux-run of block "claude-abcd"/],
    [30, /is agentmux-run of block "outer-1"/],
    [40, /runs this very command/],
  ])('refuses pid %i', (pid, reason) => {
    expect(findRefusal(pid, killer)).toMatchObject({ kind: 'refused', message: expect.stringMatching(reason) });
  });
  it('lets others pass', () => {
    expect(findRefusal(51, killer)).toBeUndefined();
  });
});
