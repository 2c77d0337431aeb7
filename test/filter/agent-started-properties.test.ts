import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAgentStarted, type RuleMember } from '../../src/filter/agent-started.ts';
import { isConhost, isShell } from '../../src/filter/shells.ts';

const start = fc.option(fc.integer({ min: 0, max: 8 }), { nil: undefined });
const population = fc.uniqueArray(
  fc.record({
    pid: fc.integer({ min: 1, max: 30 }),
    ppid: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
    startTicks: start,
    name: fc.constantFrom('bash', 'node', 'claude', 'conhost', ''),
  }),
  { selector: (member) => member.pid, maxLength: 25 },
);
const roots = fc.array(fc.record({ pid: fc.integer({ min: 1, max: 30 }), startTicks: start }), { maxLength: 4 });
const shuffled = population.chain((members) =>
  fc.record({
    members: fc.constant(members),
    other: fc.shuffledSubarray(members, { minLength: members.length, maxLength: members.length }),
  }),
);

describe('findAgentStarted on any population', () => {
  it('keeps members only, never a root, never a conhost', () => {
    fc.assert(
      fc.property(population, roots, (members, ever) => {
        const kept = findAgentStarted(members, ever);
        const byPid = new Map(members.map((member) => [member.pid, member]));
        for (const pid of kept) {
          const member = byPid.get(pid);
          expect(member !== undefined && !isConhost(member.name)).toBe(true);
          expect(ever.some((root) => root.pid === pid && root.startTicks === member?.startTicks)).toBe(false);
        }
      }),
    );
  });

  it('does not depend on the order of members or roots', () => {
    fc.assert(
      fc.property(shuffled, roots, ({ members, other }, ever) => {
        const one = findAgentStarted(members, ever);
        const two = findAgentStarted(other, [...ever].reverse());
        expect([...two].sort()).toEqual([...one].sort());
      }),
    );
  });

  it('says what a plain walk per process says', () => {
    fc.assert(
      fc.property(population, roots, (members, ever) => {
        const expected = members.filter((member) => walk(member, members, ever)).map(({ pid }) => pid);
        expect([...findAgentStarted(members, ever)].sort()).toEqual(expected.sort());
      }),
    );
  });
});

/** The rule, word by word and slowly. */
function walk(
  start: RuleMember,
  members: readonly RuleMember[],
  ever: readonly { pid: number; startTicks: number | undefined }[],
): boolean {
  const isRoot = (member: RuleMember) =>
    ever.some(
      ({ pid, startTicks }) =>
        pid === member.pid &&
        (startTicks === undefined || member.startTicks === undefined || startTicks === member.startTicks),
    );
  const parent = (member: RuleMember) => members.find(({ pid }) => pid === member.ppid);
  if (isRoot(start) || isConhost(start.name)) return false;
  let bare: RuleMember | undefined = start;
  for (let steps = 0; bare !== undefined && !isRoot(bare); steps += 1) {
    if (steps > members.length) return false;
    bare = parent(bare);
  }
  let current: RuleMember | undefined = start;
  while (current !== undefined) {
    if (isShell(current.name)) return true;
    if (isRoot(current)) return false;
    const above: RuleMember | undefined = parent(current);
    const isLater: boolean = (above?.startTicks ?? 0) > (current.startTicks ?? Number.POSITIVE_INFINITY);
    current = isLater ? undefined : above;
  }
  return true;
}
