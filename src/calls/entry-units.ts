import { callIdOf } from '../annotate/call-label.ts';
import { scriptOf } from '../annotate/entry-name.ts';
import type { Call } from '../model/call.ts';
import type { EntryBook, EntryMember, EntryRecord, NumberedSet } from '../model/entry.ts';
import type { ProcessStat } from '../model/process.ts';
import { asksToDetach } from './detached.ts';
import { extractCommand } from './undo-quoting.ts';

/** What an agent started, before it is known whether it is an entry: a tool call, or what comes nearest to one. */
export interface Unit {
  readonly key: string;
  readonly call: Call | undefined;
  /** Oldest first. */
  readonly members: readonly EntryMember[];
  /** Those that no agent waits for any more: they, or what is above them, lost their parent or left its session. */
  readonly loose: readonly EntryMember[];
  /** The entry that it is already. */
  readonly entry: EntryRecord | undefined;
}

export interface UnitsInput {
  /** All live members. */
  readonly members: readonly EntryMember[];
  readonly labels: ReadonlyMap<number, Call>;
  readonly book: EntryBook;
  readonly bootId: string;
  /** Sessions in which the agents were started: nothing of a call's own. */
  readonly agentSessions: ReadonlySet<number>;
}

/** Sorts what an agent started into units: by the call, the entry it was seen in, its parents, its session and its group. Pure. */
export function findUnits(input: UnitsInput): Unit[] {
  const world = toWorld(input);
  const groups = new Map<string, EntryMember[]>();
  for (const member of world.started) {
    const key = keyOf(member, world);
    groups.set(key, [...(groups.get(key) ?? []), member]);
  }
  return [...groups].map(([key, members]) => {
    const call = members.map(({ pid }) => input.labels.get(pid)).find((label) => label !== undefined);
    const entry = world.running.find((one) => one.key === key);
    return { key, call: call ?? entry?.call, members, loose: members.filter(looseTest(members, call, world)), entry };
  });
}

/** The entry that a process was seen in, by itself, its session or its group; undefined if there is none. */
export function findOwner(
  member: EntryMember,
  running: readonly EntryRecord[],
  byPid: ReadonlyMap<number, EntryMember>,
) {
  const { stat, pid, startTicks } = member;
  return (
    running.find(({ members }) => members.some((one) => one.pid === pid && one.startTicks === startTicks)) ??
    running.find(({ sessions }) => sessions.some((one) => isIn(stat?.sid, one, member, byPid))) ??
    running.find(({ groups }) => groups.some((one) => isIn(stat?.pgid, one, member, byPid)))
  );
}

interface World extends UnitsInput {
  readonly byPid: ReadonlyMap<number, EntryMember>;
  /** Oldest first. */
  readonly started: readonly EntryMember[];
  readonly running: readonly EntryRecord[];
  /** Sessions of the agents and their plumbing, and 0: sessions from outside of our pid namespace, or unknown ones. */
  readonly shared: ReadonlySet<number>;
  /** Found so far: by pid, and of the sessions and groups that are new. */
  readonly keys: Map<number, string>;
  readonly sets: Map<string, string>;
}

function toWorld(input: UnitsInput): World {
  const { members, book, bootId, agentSessions } = input;
  const own = members.filter(({ role }) => role !== 'started').flatMap(({ stat }) => stat?.sid ?? []);
  return {
    ...input,
    byPid: new Map(members.map((member) => [member.pid, member])),
    started: members.filter(({ role }) => role === 'started').sort(compareAge),
    running: book.entries.filter((entry) => !entry.exited && entry.bootId === bootId),
    shared: new Set([0, ...agentSessions, ...own]),
    keys: new Map(),
    sets: new Map(),
  };
}

function compareAge(a: EntryMember, b: EntryMember): number {
  return (a.startTicks ?? Number.POSITIVE_INFINITY) - (b.startTicks ?? Number.POSITIVE_INFINITY) || a.pid - b.pid;
}

/** The members are asked oldest first, so that a parent is settled before its children. */
function keyOf(member: EntryMember, world: World): string {
  const key = findKey(member, world);
  world.keys.set(member.pid, key);
  return key;
}

function findKey(member: EntryMember, world: World): string {
  const label = world.labels.get(member.pid);
  if (label !== undefined) return labelledKey(member, `call ${callIdOf(label)}`, world);
  const isKnown = ({ members }: EntryRecord) =>
    members.some(({ pid, startTicks }) => pid === member.pid && startTicks === member.startTicks);
  const known = world.running.find(isKnown);
  if (known !== undefined) return known.key;
  const parent = startedParent(member, world);
  const above = parent === undefined ? undefined : world.keys.get(parent.pid);
  if (above !== undefined) return above;
  return findOwner(member, world.running, world.byPid)?.key ?? newKey(member, world);
}

/** An entry that was found before its call was known stays that entry. */
function labelledKey(member: EntryMember, key: string, { running, byPid }: World): string {
  if (running.some((entry) => entry.key === key)) return key;
  const owner = findOwner(
    member,
    running.filter(({ call }) => call === undefined),
    byPid,
  );
  return owner?.key ?? key;
}

/** Numbers come again: it is the oldest process that makes the key one of its own. */
function newKey({ pid, startTicks, stat }: EntryMember, world: World): string {
  const own = `${pid}:${startTicks ?? ''}`;
  const set = stat === undefined ? undefined : findSet(stat, world);
  if (set === undefined) return `process ${own}`;
  const key = world.sets.get(set) ?? `${set} ${own}`;
  world.sets.set(set, key);
  return key;
}

function findSet({ sid, pgid }: ProcessStat, { shared, byPid }: World): string | undefined {
  if (!shared.has(sid)) return `session ${sid}`;
  const leader = byPid.get(pgid);
  return leader?.role === 'started' && leader.stat?.pgid === pgid ? `group ${pgid}` : undefined;
}

/** The parent in the block; a parent is no younger than its child. */
export function parentIn(member: EntryMember, byPid: ReadonlyMap<number, EntryMember>): EntryMember | undefined {
  const parent = member.stat === undefined ? undefined : byPid.get(member.stat.ppid);
  if (parent === undefined || parent === member) return undefined;
  return (parent.startTicks ?? 0) <= (member.startTicks ?? Number.POSITIVE_INFINITY) ? parent : undefined;
}

function startedParent(member: EntryMember, world: World): EntryMember | undefined {
  const parent = parentIn(member, world.byPid);
  return parent?.role === 'started' ? parent : undefined;
}

/**
 * Tells which members of a unit the agent does not wait for. While the shell of a call lives, what it put into a session of
 * its own counts only if its command asks for that: a terminal recorder does so too.
 */
function looseTest(members: readonly EntryMember[], call: Call | undefined, world: World) {
  const heads = members.filter((member) => {
    const parent = parentIn(member, world.byPid);
    return parent !== undefined && parent.role !== 'started';
  });
  const sessions = new Set(heads.map(({ stat }) => stat?.sid));
  const texts = call?.command === undefined ? heads.map(scriptOfMember) : [call.command];
  const asks = texts.some((text) => text !== undefined && asksToDetach(text));
  return (member: EntryMember): boolean => {
    let at: EntryMember = member;
    for (let steps = 0; steps <= world.byPid.size; steps += 1) {
      if (asks && at.stat !== undefined && !sessions.has(at.stat.sid)) return true;
      const parent = parentIn(at, world.byPid);
      if (parent === undefined) return true;
      if (parent.role !== 'started') return false;
      at = parent;
    }
    return true;
  };
}

/** What a shell runs, as the agent wrote it. */
export function scriptOfMember({ argv, exe, stat }: EntryMember): string | undefined {
  const script = scriptOf({ argv, exe, comm: stat?.comm });
  return script === undefined ? undefined : (extractCommand(script) ?? script);
}

/**
 * A number is not given away while it is in use, so whoever leads the set now led it then, or nobody does; a younger
 * leader got the number after all had ended.
 */
function isIn(
  number: number | undefined,
  set: NumberedSet,
  member: EntryMember,
  byPid: ReadonlyMap<number, EntryMember>,
): boolean {
  if (number !== set.number || member.startTicks === undefined || member.startTicks < set.sinceTicks) return false;
  const leader = byPid.get(set.number);
  return leader?.startTicks === undefined || leader.startTicks <= set.sinceTicks;
}
