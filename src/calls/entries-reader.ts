import path from 'node:path';
import { findProfile } from '../agents/profiles.ts';
import type { BlockRecord } from '../model/block.ts';
import type { Call } from '../model/call.ts';
import type { Entry, EntryBook, EntryMember } from '../model/entry.ts';
import type { Platform } from '../platform/platform.ts';
import type { Store } from '../state/store.ts';
import { deriveEntries, type EntriesOutcome } from './entries.ts';
import { findOwner } from './entry-units.ts';
import { type CallIndex, type CallProcess, type CallRecords, joinCalls, labelProcesses } from './join.ts';
import { readCalls } from './read-calls.ts';

/** A block with its live members, as a look gave them. */
export interface LookedBlock {
  readonly record: BlockRecord;
  readonly members: readonly EntryMember[];
}

export interface EntriesDeps {
  readonly platform: Platform;
  readonly store: Pick<Store, 'directory' | 'entries' | 'writeEntries' | 'lock'>;
  /** Wall clock, ms since the epoch. */
  now(): number;
  /** Listening ports by pid; without it entries have none. */
  portsOf?(pid: number): readonly number[];
}

/** What is known of the entries and calls of a block. */
export interface BlockEntries {
  /** Oldest first, exited ones included. */
  readonly entries: readonly Entry[];
  /** The call of each live process that belongs to one. */
  readonly labels: ReadonlyMap<number, Call>;
  /** The running entry of each live process that belongs to one. */
  readonly entryOf: ReadonlyMap<number, Entry>;
  /** The commands of all calls that are on record, those that are over included. */
  readonly commands: readonly string[];
  /** False if there are new entries without an id, or changes that are not stored yet: settleEntries sees to both. */
  readonly isSettled: boolean;
}

/** The entries as they are now, those left out that have no id yet. Writes nothing. */
export function readEntries(block: LookedBlock, deps: EntriesDeps): BlockEntries {
  const read = lookAtCalls(block, deps);
  const book = deps.store.entries(block.record.id);
  const { entries, isChanged } = derive(book, read);
  const known = new Set(book.entries.map(({ id }) => id));
  return toResult(
    entries.filter(({ id }) => known.has(id)),
    read,
    !isChanged,
  );
}

/**
 * As readEntries, and gives ids to what is new, under the block's lock, so that two readers never name one thing twice.
 * Where the state cannot be written, or another command holds the block, it is readEntries.
 */
export async function settleEntries(block: LookedBlock, deps: EntriesDeps): Promise<BlockEntries> {
  const { store } = deps;
  const { id } = block.record;
  const read = lookAtCalls(block, deps);
  const first = derive(store.entries(id), read);
  if (!first.isChanged) return toResult(first.entries, read, true);
  try {
    const lock = await store.lock(id, LOCK_MS);
    try {
      const { entries, book, isChanged } = derive(store.entries(id), read);
      if (isChanged) store.writeEntries(id, book);
      return toResult(entries, read, true);
    } finally {
      lock.release();
    }
  } catch {
    return readEntries(block, deps);
  }
}

/** Another reader holds the lock for a few ms. */
const LOCK_MS = 1000;

interface CallsRead {
  readonly block: LookedBlock;
  readonly index: CallIndex;
  readonly processes: readonly CallProcess[];
  readonly deps: EntriesDeps;
  /** Filled by the last derive. */
  labels: ReadonlyMap<number, Call>;
}

function lookAtCalls(block: LookedBlock, deps: EntriesDeps): CallsRead {
  const directory = path.join(deps.store.directory, 'calls', block.record.id);
  const records = deps.store.directory === '' ? NO_RECORDS : readCalls(directory, process.geteuid?.());
  const index = joinCalls(records);
  const hasRecords = index.calls.length > 0;
  const started = block.members.filter(({ role }) => role === 'started');
  return {
    block,
    index,
    deps,
    processes: started.map((member) => toCallProcess(member, hasRecords, deps.platform)),
    labels: new Map(),
  };
}

/** Of a run that keeps no state. */
const NO_RECORDS: CallRecords = { directory: '/', hooks: [], shells: [], reports: [] };

function toCallProcess(member: EntryMember, hasRecords: boolean, platform: Platform): CallProcess {
  const { pid, startTicks, stat, evidence } = member;
  // A record of ours says more than the id of the call, and only where there are any can a process name one.
  const own = hasRecords ? platform.readVariables(pid, CALL)?.get('AGENTMUX_CALL') : undefined;
  return {
    pid,
    ppid: stat?.ppid,
    sid: stat?.sid || undefined,
    startTicks,
    startedAtMs: startTicks === undefined ? undefined : platform.startedAtMs(startTicks),
    mark: own || evidence.callId,
    sessionId: evidence.session,
  };
}

const CALL: ReadonlySet<string> = new Set(['AGENTMUX_CALL']);

function derive(book: EntryBook, read: CallsRead): EntriesOutcome {
  const { block, deps } = read;
  const { platform } = deps;
  const { bootId } = platform.host();
  const running = book.entries.filter((entry) => !entry.exited && entry.bootId === bootId);
  const byPid = new Map(block.members.map((member) => [member.pid, member]));
  read.labels = labelProcesses(read.index, read.processes, ({ pid }) => {
    const member = byPid.get(pid);
    return member === undefined ? undefined : findOwner(member, running, byPid)?.call;
  });
  return deriveEntries({
    members: block.members,
    labels: read.labels,
    book,
    bootId,
    agentSessions: new Set(block.record.runs.flatMap(({ callerSids }) => callerSids)),
    nowMs: deps.now(),
    startedAtMs: (ticks) => platform.startedAtMs(ticks),
    portsOf: deps.portsOf ?? (() => []),
    foregroundMs: findProfile(block.record.agent)?.foregroundMs,
  });
}

function toResult(entries: readonly Entry[], { labels, index }: CallsRead, isSettled: boolean): BlockEntries {
  const entryOf = new Map(entries.flatMap((entry) => entry.pids.map((pid) => [pid, entry] as const)));
  const commands = index.calls.flatMap(({ command }) => command ?? []);
  return { entries, labels, entryOf, commands, isSettled };
}
