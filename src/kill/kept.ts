import { describeCommand } from '../annotate/command.ts';
import { displayName } from '../annotate/display-name.ts';
import { matchesGlob } from '../filter/glob.ts';
import { calledName } from '../filter/shells.ts';
import type { BlockRecord } from '../model/block.ts';
import type { EntryMember, KeptMark } from '../model/entry.ts';
import type { Store } from '../state/store.ts';
import { readKeptPids } from '../trackers/kept-group.ts';
import { familyOf } from '../trackers/subject.ts';

/** Why a process is not ended with its block. */
export interface KeptReason {
  readonly by: 'mark' | 'configuration';
  /** What the user wrote, or the pattern of the configuration. */
  readonly note: string | undefined;
  readonly entryId: string | undefined;
}

export interface KeptInput {
  /** Live members of the block. */
  readonly members: readonly EntryMember[];
  readonly marks: readonly KeptMark[];
  /** Pids in the groups of what is kept. */
  readonly groupPids: ReadonlySet<number>;
  readonly bootId: string;
  /** Patterns of the configuration. */
  readonly patterns: readonly string[];
}

/**
 * Which members are kept, by pid: those that were marked, those that the configuration names, and all below them. An agent
 * is never kept by a pattern. Pure.
 */
export function findKept(input: KeptInput): ReadonlyMap<number, KeptReason> {
  const kept = new Map<number, KeptReason>();
  const sorted = [...input.members].sort((a, b) => (a.startTicks ?? 0) - (b.startTicks ?? 0) || a.pid - b.pid);
  const byPid = new Map(sorted.map((member) => [member.pid, member]));
  for (const member of sorted) {
    const reason = findReason(member, input, byPid) ?? findInherited(member, byPid, kept);
    if (reason !== undefined) kept.set(member.pid, reason);
  }
  return kept;
}

/** Looks what is kept of a block and of those inside it. Throws AgentmuxError where that cannot be read. */
export function createKeptFinder(
  store: Pick<Store, 'kept'>,
  bootId: string,
  patterns: readonly string[],
  records: readonly BlockRecord[],
): (record: BlockRecord, members: readonly EntryMember[]) => ReadonlyMap<number, KeptReason> {
  return (record, members) => {
    const family = familyOf(record, records);
    const marks = family.flatMap(({ id }) => store.kept(id));
    if (marks.length === 0 && patterns.length === 0) return new Map();
    const groupPids = new Set(marks.length === 0 ? [] : family.flatMap(readKeptPids));
    return findKept({ members, marks, groupPids, bootId, patterns });
  };
}

/** The pattern that names a process: its name, what it was called as, or its whole command line. */
export function findPattern({ argv, exe, stat }: EntryMember, patterns: readonly string[]): string | undefined {
  if (patterns.length === 0) return undefined;
  const names = [displayName({ argv, exe, comm: stat?.comm }), calledName(argv?.[0])];
  const command = (argv === undefined ? undefined : describeCommand(argv, stat?.comm)) ?? '';
  return patterns.find(
    (pattern) =>
      names.some((name) => matchesGlob(pattern, name)) || matchesGlob(pattern, command.slice(0, MAX_COMMAND)),
  );
}

const MAX_COMMAND = 4096;

function findReason(
  member: EntryMember,
  { marks, groupPids, bootId, patterns }: KeptInput,
  byPid: ReadonlyMap<number, EntryMember>,
): KeptReason | undefined {
  const current = marks.filter((mark) => mark.bootId === bootId);
  const mark = current.find((one) => isMarked(member, one, byPid));
  if (mark !== undefined) return { by: 'mark', note: mark.note, entryId: mark.entryId };
  if (groupPids.has(member.pid)) return { by: 'mark', note: undefined, entryId: undefined };
  const pattern = member.role === 'root' ? undefined : findPattern(member, patterns);
  return pattern === undefined ? undefined : { by: 'configuration', note: pattern, entryId: undefined };
}

function isMarked(member: EntryMember, mark: KeptMark, byPid: ReadonlyMap<number, EntryMember>): boolean {
  const { pid, startTicks, stat } = member;
  if (mark.members.some((one) => one.pid === pid && one.startTicks === startTicks)) return true;
  return mark.sessions.some(({ number, sinceTicks }) => {
    if (stat?.sid !== number || startTicks === undefined || startTicks < sinceTicks) return false;
    const leader = byPid.get(number);
    return leader?.startTicks === undefined || leader.startTicks <= sinceTicks;
  });
}

/** From its parent, which is no younger. */
function findInherited(
  { stat, startTicks, role }: EntryMember,
  byPid: ReadonlyMap<number, EntryMember>,
  kept: ReadonlyMap<number, KeptReason>,
): KeptReason | undefined {
  const parent = stat === undefined || role === 'root' ? undefined : byPid.get(stat.ppid);
  if (parent === undefined || (parent.startTicks ?? 0) > (startTicks ?? Number.POSITIVE_INFINITY)) return undefined;
  return kept.get(parent.pid);
}
