/** Pure: what a mark of `agentmux keep` says, and which marks a `release` takes away. */
import { describeCommand } from '../annotate/command.ts';
import { squash } from '../annotate/entry-name.ts';
import { redactArgv } from '../annotate/redact.ts';
import type { EntryMember, KeptMark, NumberedSet } from '../model/entry.ts';
import { findKept } from './kept.ts';

export interface MarkRequest {
  /** What is to be kept, with all below it. */
  readonly chosen: readonly EntryMember[];
  /** All live members of the block. */
  readonly members: readonly EntryMember[];
  readonly entryId: string | undefined;
  /** Of the entry; undefined for a process. */
  readonly command: string | undefined;
  readonly note: string | undefined;
  readonly bootId: string;
  readonly nowMs: number;
}

/** The mark of some processes: by identity, and by the sessions that they have for themselves. */
export function makeMark(request: MarkRequest): KeptMark {
  const { chosen, members, entryId, note, bootId, nowMs } = request;
  const own = new Set(chosen.map(({ pid }) => pid));
  const others = members.filter(({ pid }) => !own.has(pid));
  // 0 is no session: one from outside of our pid namespace, or unknown.
  const shared = new Set([0, ...others.flatMap(({ stat }) => stat?.sid ?? [])]);
  return {
    entryId,
    bootId,
    members: chosen
      .flatMap(({ pid, startTicks }) => (startTicks === undefined ? [] : { pid, startTicks }))
      .slice(0, 5000),
    sessions: findSessions(chosen, shared),
    command: squash(request.command ?? commandOf(chosen[0])).slice(0, 2000),
    note,
    keptAtMs: nowMs,
  };
}

/** The marks with a new one; an older one of the same thing is replaced, and those of which nothing lives are dropped. */
export function addMark(marks: readonly KeptMark[], mark: KeptMark, members: readonly EntryMember[]): KeptMark[] {
  const isReplaced = (old: KeptMark): boolean =>
    old.entryId === undefined
      ? old.members.every((one) =>
          mark.members.some((other) => other.pid === one.pid && other.startTicks === one.startTicks),
        )
      : old.entryId === mark.entryId;
  return [...dropEnded(marks, members, mark.bootId).filter((old) => !isReplaced(old)), mark];
}

/** The marks that keep something that lives. */
export function dropEnded(marks: readonly KeptMark[], members: readonly EntryMember[], bootId: string): KeptMark[] {
  return marks.filter((mark) => pidsOf(mark, members, bootId).size > 0);
}

/** Pids of what a mark keeps. */
export function pidsOf(mark: KeptMark, members: readonly EntryMember[], bootId: string): ReadonlySet<number> {
  return new Set(findKept({ members, marks: [mark], groupPids: new Set(), bootId, patterns: [] }).keys());
}

function findSessions(chosen: readonly EntryMember[], shared: ReadonlySet<number>): NumberedSet[] {
  const since = new Map<number, number>();
  for (const { stat, startTicks } of chosen) {
    if (stat === undefined || startTicks === undefined || shared.has(stat.sid)) continue;
    since.set(stat.sid, Math.min(since.get(stat.sid) ?? Number.POSITIVE_INFINITY, startTicks));
  }
  return [...since].map(([number, sinceTicks]) => ({ number, sinceTicks })).slice(0, 500);
}

function commandOf(member: EntryMember | undefined): string {
  if (member === undefined) return '';
  const { argv, stat } = member;
  return describeCommand(argv === undefined ? undefined : redactArgv(argv).argv, stat?.comm) ?? '';
}
