/**
 * Entries: the background and detached things of an agent, derived from its live processes, its calls and what was seen
 * before. Pure; who reads and stores is entries-reader.ts.
 */
import { describeCommand } from '../annotate/command.ts';
import { nameCommand, nameMembers, squash } from '../annotate/entry-name.ts';
import type { Entry, EntryBook, EntryMember, EntryRecord, NumberedSet } from '../model/entry.ts';
import { findUnits, scriptOfMember, type Unit, type UnitsInput } from './entry-units.ts';

export interface EntriesInput extends UnitsInput {
  readonly nowMs: number;
  /** Start as wall clock, for raw start times. */
  startedAtMs(startTicks: number): number;
  /** Listening ports of a process; nothing where they are not asked for. */
  portsOf(pid: number): readonly number[];
  /** How long a tool call of the block's agent can be waited for, ms; undefined: nothing tells a background task. */
  readonly foregroundMs: number | undefined;
}

export interface EntriesOutcome {
  /** Oldest first; those that have exited are last known. */
  readonly entries: readonly Entry[];
  /** What is to be stored. */
  readonly book: EntryBook;
  /** True if it differs from the book that was given. */
  readonly isChanged: boolean;
}

/** Bounds of what is stored: entries that have exited, and numbers and processes of one. */
export const bookLimits = { exited: 200, sets: 64, command: 2000 } as const;

/** The entries as they are now; new ones get the next numbers, oldest first. */
export function deriveEntries(input: EntriesInput): EntriesOutcome {
  const { book, nowMs } = input;
  const units = findUnits(input);
  const alive = new Map<string, Live>();
  for (const unit of units) {
    const live = findLive(unit, input);
    if (live !== undefined) alive.set(unit.key, live);
  }
  const entries: Entry[] = [];
  const records: EntryRecord[] = [];
  const add = (record: EntryRecord, live: Live | undefined): void => {
    records.push(record);
    entries.push(toEntry(record, live?.members ?? [], input));
  };
  for (const before of book.entries) {
    const live = before.exited || before.bootId !== input.bootId ? undefined : alive.get(before.key);
    if (live !== undefined) alive.delete(before.key);
    if (live !== undefined) add(refresh(before, live, units, input), live);
    else
      add(
        before.exited ? before : { ...before, exited: true, endedAtMs: endOf(before, input.bootId, nowMs) },
        undefined,
      );
  }
  let { next } = book;
  for (const live of [...alive.values()].sort((a, b) => ageOf(a) - ageOf(b))) {
    const id = `p${next}`;
    next += 1;
    add(create(id, live, units, input), live);
  }
  const kept = limitExited(records);
  const isChanged = next !== book.next || JSON.stringify(kept) !== JSON.stringify(book.entries);
  return { entries, book: { next, entries: kept }, isChanged };
}

/** A unit that is an entry, with those of its processes that are meant. */
interface Live {
  readonly unit: Unit;
  readonly source: Entry['source'];
  readonly members: readonly EntryMember[];
}

function findLive(unit: Unit, input: EntriesInput): Live | undefined {
  const isBackground = unit.entry?.source === 'background' || unit.call?.background === true || isMoved(unit, input);
  if (isBackground) return { unit, source: 'background', members: unit.members };
  return unit.loose.length === 0 ? undefined : { unit, source: 'detached', members: unit.loose };
}

/** A call that runs for longer than any can hold its agent was moved to the background. */
function isMoved({ call, members, loose }: Unit, { foregroundMs, startedAtMs, nowMs }: EntriesInput): boolean {
  const [first] = members;
  if (foregroundMs === undefined || first?.startTicks === undefined || loose.includes(first)) return false;
  const isToldOf = call !== undefined || first.evidence.taskId !== undefined || first.evidence.callId !== undefined;
  return isToldOf && nowMs - (call?.atMs ?? startedAtMs(first.startTicks)) > foregroundMs;
}

function ageOf({ members }: Live): number {
  return members[0]?.startTicks ?? Number.POSITIVE_INFINITY;
}

/** What ended with its boot ended nobody knows when. */
function endOf(entry: EntryRecord, bootId: string, nowMs: number): number | undefined {
  return entry.bootId === bootId ? nowMs : undefined;
}

function create(id: string, live: Live, units: readonly Unit[], input: EntriesInput): EntryRecord {
  const { unit, source, members } = live;
  const [first] = members;
  const start = first?.startTicks === undefined ? undefined : input.startedAtMs(first.startTicks);
  const callStart = source === 'background' ? unit.call?.atMs : undefined;
  const command = commandOf(live).slice(0, bookLimits.command);
  return {
    id,
    source,
    key: unit.key,
    command,
    name: (nameOf(members) ?? nameCommand(command)).slice(0, bookLimits.command),
    taskId: taskOf(members),
    ...headOf(members),
    startedAtMs: callStart ?? start,
    endedAtMs: undefined,
    exited: false,
    bootId: input.bootId,
    call: unit.call,
    ...marksOf(live, units, input),
  };
}

/** The same entry, with what came to be known of it since. */
function refresh(before: EntryRecord, live: Live, units: readonly Unit[], input: EntriesInput): EntryRecord {
  const { call } = live.unit;
  const known = marksOf(live, units, input);
  return {
    ...before,
    source: live.source,
    command: before.call?.command === undefined && call?.command !== undefined ? squash(call.command) : before.command,
    name: nameOf(live.members) ?? before.name,
    taskId: before.taskId ?? taskOf(live.members),
    call: call ?? before.call,
    ...headOf(live.members),
    sessions: unite(before.sessions, known.sessions),
    groups: unite(before.groups, known.groups),
    members: uniteMembers(before.members, known.members),
  };
}

function commandOf({ unit, members }: Live): string {
  if (unit.call?.command !== undefined) return squash(unit.call.command);
  const [first] = members;
  if (first === undefined) return '';
  const script = scriptOfMember(first);
  return squash(script ?? withoutDirectory(describeCommand(first.argv, first.stat?.comm) ?? ''));
}

/** Where its program lies says little of a thing. */
function withoutDirectory(command: string): string {
  return command.replace(/^\/(?:[^\s'"/]+\/)+(?=[^\s'"/])/, '');
}

function nameOf(members: readonly EntryMember[]): string | undefined {
  return nameMembers(
    members.map(({ pid, stat, argv, exe }) => ({ pid, parentPid: stat?.ppid, argv, exe, comm: stat?.comm })),
  );
}

function taskOf(members: readonly EntryMember[]): string | undefined {
  return members.map(({ evidence }) => evidence.taskId).find((taskId) => taskId !== undefined);
}

function headOf([first]: readonly EntryMember[]): Pick<EntryRecord, 'pid' | 'startTicks' | 'pgid'> {
  return { pid: first?.pid, startTicks: first?.startTicks, pgid: first?.stat?.pgid || undefined };
}

/** By what its processes are known again: sessions of its own, else groups, else each by itself. */
function marksOf({ members }: Live, units: readonly Unit[], input: EntriesInput) {
  const own = new Set(members);
  const others = input.members.filter((member) => !own.has(member));
  const sids = new Set([0, ...input.agentSessions, ...others.flatMap(({ stat }) => stat?.sid ?? [])]);
  const pgids = new Set(others.flatMap(({ stat }) => stat?.pgid ?? []));
  const leaders = new Set(units.flatMap((unit) => unit.members.map(({ pid }) => pid)));
  const isGroup = (pgid: number): boolean => !pgids.has(pgid) && leaders.has(pgid);
  const seen = members.filter(({ stat, startTicks }) => stat !== undefined && startTicks !== undefined);
  const rest = seen.filter(({ stat }) => stat !== undefined && sids.has(stat.sid));
  return {
    sessions: collectSets(
      seen,
      (member) => member.stat?.sid,
      (sid) => !sids.has(sid),
    ),
    groups: collectSets(rest, (member) => member.stat?.pgid, isGroup),
    members: rest
      .filter(({ stat }) => stat !== undefined && !isGroup(stat.pgid))
      .map(({ pid, startTicks = 0 }) => ({ pid, startTicks }))
      .slice(-bookLimits.sets),
  };
}

function collectSets(
  members: readonly EntryMember[],
  numberOf: (member: EntryMember) => number | undefined,
  isOwn: (number: number) => boolean,
): NumberedSet[] {
  const since = new Map<number, number>();
  for (const member of members) {
    const number = numberOf(member);
    if (number === undefined || !isOwn(number)) continue;
    since.set(number, Math.min(since.get(number) ?? Number.POSITIVE_INFINITY, member.startTicks ?? 0));
  }
  return [...since].map(([number, sinceTicks]) => ({ number, sinceTicks }));
}

function unite(before: readonly NumberedSet[], now: readonly NumberedSet[]): readonly NumberedSet[] {
  const added = now.filter(({ number }) => !before.some((one) => one.number === number));
  return added.length === 0 ? before : [...before, ...added].slice(-bookLimits.sets);
}

function uniteMembers(before: EntryRecord['members'], now: EntryRecord['members']): EntryRecord['members'] {
  const added = now.filter(
    ({ pid, startTicks }) => !before.some((one) => one.pid === pid && one.startTicks === startTicks),
  );
  return added.length === 0 ? before : [...before, ...added].slice(-bookLimits.sets);
}

function toEntry(record: EntryRecord, members: readonly EntryMember[], { portsOf }: EntriesInput): Entry {
  const { id, source, command, name, taskId, pid, pgid, startedAtMs, endedAtMs, exited, call } = record;
  const pids = members.map((member) => member.pid);
  const ports = [...new Set(pids.flatMap(portsOf))].sort((a, b) => a - b);
  const status = exited ? 'exited' : 'running';
  return { id, source, command, name, taskId, pid, pgid, ports, startedAtMs, endedAtMs, status, pids, call };
}

function limitExited(records: readonly EntryRecord[]): readonly EntryRecord[] {
  const excess = records.filter(({ exited }) => exited).length - bookLimits.exited;
  if (excess <= 0) return records;
  let dropped = 0;
  return records.filter(({ exited }) => {
    if (!exited || dropped >= excess) return true;
    dropped += 1;
    return false;
  });
}
