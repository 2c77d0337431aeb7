import { describe, expect, it } from 'vitest';
import type { Identity } from '../../src/model/identity.ts';
import type { ProcessStat } from '../../src/model/process.ts';
import { countZombies, findMembers, type MembersQuery } from '../../src/trackers/scan-members.ts';

const host = { machineId: 'm', bootId: 'b', pidNamespace: 'n' };

/** One process as `pid < parent @ start`, with a state where it matters. */
function line(pid: number, ppid: number, startTicks: number, state = 'S'): ProcessStat {
  return { pid, ppid, startTicks, state, pgid: pid, sid: pid, ttyNr: 0, tpgid: -1, cpuMs: 0, rssBytes: 0, comm: 'x' };
}

const id = (pid: number, startTicks: number): Identity => ({ pid, startTicks, bootId: 'b', pidNamespace: 'n' });

function find(table: ProcessStat[], query: Partial<MembersQuery> & { tagged?: number[] } = {}): Record<number, string> {
  const found = findMembers({
    host,
    roots: [],
    wrappers: [],
    recorded: [],
    enclosed: new Set(),
    sinceTicks: 100,
    isTagged: (stat) => query.tagged?.includes(stat.pid) ?? false,
    ...query,
    table,
  });
  return Object.fromEntries(found.map(({ stat, source }) => [stat.pid, source]));
}

// 1 init, 10 shell, 20 wrapper, 30 root, 31 its child, 32 grandchild.
const tree = [
  line(1, 0, 1),
  line(10, 1, 50),
  line(20, 10, 100),
  line(30, 20, 110),
  line(31, 30, 120),
  line(32, 31, 130),
];

describe('findMembers', () => {
  it('finds the root and all that descends from it', () => {
    expect(find(tree, { roots: [id(30, 110)] })).toEqual({ 30: 'root', 31: 'descent', 32: 'descent' });
  });

  it('finds what descends from a live wrapper, an orphan that it adopted included, but never the wrapper', () => {
    const orphan = line(40, 20, 140);
    expect(find([...tree, orphan], { wrappers: [id(20, 100)] })).toEqual({
      30: 'descent',
      31: 'descent',
      32: 'descent',
      40: 'descent',
    });
  });

  describe('where orphans are adopted by nobody', () => {
    const roots = [id(30, 110)];
    const orphan = (pid: number, pgid: number, sid = pgid) => ({ ...line(pid, 1, 150), pgid, sid });
    const query = { roots, countsGroups: true };

    it('finds them by the process group and the session of a member, and what descends from them', () => {
      const table = [...tree, orphan(40, 31), orphan(41, 99, 32), line(42, 41, 160)];
      expect(find(table, query)).toMatchObject({ 40: 'group', 41: 'group', 42: 'group' });
      expect(find(table, { roots })).not.toHaveProperty('40');
    });

    it('finds them by that of one that has gone, if it was seen', () => {
      const table = [...tree, orphan(40, 35)];
      const recorded = [{ pid: 35, startTicks: 140, bootId: 'b' }];
      expect(find(table, { ...query, recorded })).toMatchObject({ 40: 'group' });
      expect(find(table, { ...query, recorded: [{ ...recorded[0], bootId: 'a' } as never] })).not.toHaveProperty('40');
      expect(find(table, query)).not.toHaveProperty('40');
    });

    it('finds them by that of one that has ended and was not waited for', () => {
      const table = [...tree, line(35, 30, 140, 'Z'), orphan(40, 35)];
      const recorded = [{ pid: 35, startTicks: 140, bootId: 'b' }];
      expect(find(table, { ...query, recorded })).toMatchObject({ 40: 'group' });
    });

    it('takes for no member who is in the group of the wrapper, or of another process with the number of a member', () => {
      const stranger = line(35, 1, 145);
      const recorded = [{ pid: 35, startTicks: 140, bootId: 'b' }];
      const table = [
        ...tree,
        orphan(40, 20),
        orphan(41, 10),
        stranger,
        orphan(42, 35),
        { ...orphan(43, 31), startTicks: 90 },
      ];
      const found = find(table, { ...query, recorded, wrappers: [id(20, 100)] });
      expect(Object.keys(found).map(Number)).toEqual([30, 31, 32]);
    });

    it('takes no other child of the wrapper for a member than the root, though it started in the same second', () => {
      const table = [...tree, line(25, 20, 110), line(40, 20, 140)];
      const wrappers = [{ ...id(20, 100), childrenSince: 110 }];
      expect(find(table, { ...query, wrappers })).toEqual({ 30: 'root', 31: 'descent', 32: 'descent' });
    });

    it('spreads no tag alone over a group', () => {
      const table = [...tree, line(50, 1, 150), orphan(51, 50)];
      expect(find(table, { ...query, tagged: [50] })).toEqual({ 30: 'root', 31: 'descent', 32: 'descent', 50: 'tag' });
    });
  });

  it('leaves alone the children that the shell had before it became the wrapper by exec', () => {
    const tee = line(25, 20, 105);
    const wrappers = [{ ...id(20, 100), childrenSince: 110 }];
    expect(find([...tree, tee, line(26, 25, 150)], { wrappers })).toEqual({
      30: 'descent',
      31: 'descent',
      32: 'descent',
    });
  });

  it('finds what carries the tag, and what descends from that', () => {
    const table = [...tree, line(50, 1, 150), line(51, 50, 160)];
    expect(find(table, { tagged: [50] })).toEqual({ 50: 'tag', 51: 'tag' });
  });

  it('takes descent from a root as the stronger evidence, whatever carries the tag', () => {
    expect(find(tree, { roots: [id(30, 110)], tagged: [30, 31, 32] })).toEqual({
      30: 'root',
      31: 'descent',
      32: 'descent',
    });
  });

  it('finds who was recorded, and what descends from it, though nothing else tells', () => {
    const table = [line(1, 0, 1), line(60, 1, 170), line(61, 60, 180)];
    const recorded = [{ pid: 60, startTicks: 170, bootId: 'b' }];
    expect(find(table, { recorded })).toEqual({ 60: 'recorded', 61: 'descent' });
  });

  it.each([
    ['a root whose pid was used again', { roots: [id(30, 109)] }],
    ['a root of another boot', { roots: [{ ...id(30, 110), bootId: 'other' }] }],
    ['a root of another pid namespace', { roots: [{ ...id(30, 110), pidNamespace: 'other' }] }],
    ['a record of another boot', { recorded: [{ pid: 30, startTicks: 110, bootId: 'other' }] }],
    ['a wrapper whose pid was used again', { wrappers: [id(20, 99)] }],
  ])('ignores %s', (_, query) => {
    expect(find(tree, query)).toEqual({});
  });

  it('never finds an ancestor of a live wrapper, though it carries the tag', () => {
    const table = [line(1, 0, 1), line(10, 1, 150), line(20, 10, 160), line(30, 20, 170)];
    expect(find(table, { wrappers: [id(20, 160)], tagged: [1, 10, 20, 30] })).toEqual({ 30: 'descent' });
  });

  it('never finds what is older than the block', () => {
    expect(find(tree, { tagged: [10], recorded: [{ pid: 10, startTicks: 50, bootId: 'b' }] })).toEqual({});
  });

  it('asks no environment of who is older than the block, is enclosed, or is known otherwise', () => {
    const asked: number[] = [];
    const isTagged = (stat: ProcessStat) => asked.push(stat.pid) < 0;
    find([...tree, line(70, 1, 190)], { roots: [id(30, 110)], enclosed: new Set([32]), isTagged });
    expect(asked).toEqual([20, 70]);
  });

  it('leaves zombies out and counts them by parent', () => {
    const table = [...tree, line(33, 30, 140, 'Z'), line(34, 30, 150, 'Z'), line(35, 1, 150, 'Z')];
    expect(find(table, { roots: [id(30, 110)] })).not.toHaveProperty('33');
    expect(countZombies(table, new Set([30, 31]))).toEqual(new Map([[30, 2]]));
  });

  it('does not believe a parent that started after its child', () => {
    const table = [line(1, 0, 1), line(30, 1, 200), line(31, 30, 150)];
    expect(find(table, { roots: [id(30, 200)] })).toEqual({ 30: 'root' });
  });

  it('returns nobody who is enclosed, but what descends from them', () => {
    const table = [line(1, 0, 1), line(30, 1, 110), line(31, 30, 120)];
    expect(find(table, { enclosed: new Set([30]) })).toEqual({ 31: 'descent' });
  });

  it('ends on a circle of parents', () => {
    const table = [line(30, 31, 110), line(31, 30, 110)];
    expect(find(table, { roots: [id(30, 110)] })).toEqual({ 30: 'root', 31: 'descent' });
  });
});
