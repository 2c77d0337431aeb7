import { AgentmuxError } from '../../errors.ts';
import type { BlockRecord, BlockStatus } from '../../model/block.ts';
import type { HostIdentity } from '../../model/identity.ts';
import { resolveBlockPrefix } from '../../state/ids.ts';
import type { UnreadableRecord } from '../../state/store.ts';
import { groupName, scopeName } from '../../trackers/group-name.ts';
import type { BlockView } from '../../trackers/inspect.ts';

/** `--block ID`, `--block` alone, or not given. */
export type BlockOption = string | true | undefined;

/** What is known when a block is to be named. */
export interface BlockLookup {
  readonly records: readonly BlockRecord[];
  readonly unreadable: readonly UnreadableRecord[];
  readonly host: HostIdentity;
  /** The block as it is now; looked at once. */
  view(record: BlockRecord): BlockView;
}

/** Who asks: where it stands tells which block it is in. */
export interface Caller {
  /** AGENTMUX_BLOCKID, undefined if unset or empty. */
  readonly blockId: string | undefined;
  /** AGENTMUX_TAG. */
  readonly tag: string | undefined;
  /** Path of its cgroup, undefined where there is none. */
  readonly groupPath: string | undefined;
  /** True if the caller is in the job of that block (Windows). */
  readonly isInJob?: (record: BlockRecord) => boolean;
  /** Its sessions (platform/sessions.ts). */
  readonly sessions: readonly number[];
  /** What was typed, for hints: `kill-tree`. */
  readonly command: string;
}

/**
 * The block that a command changes: the one that is named, else the one that the caller is in, else the only live one
 * that was started from the caller's session. Never a guess: throws AgentmuxError `notFound` (no such block, or a set
 * AGENTMUX_BLOCKID that names none) or `refused` (several candidates; a block of another machine or pid namespace).
 */
export function resolveTarget(option: BlockOption, lookup: BlockLookup, caller: Caller): BlockView {
  if (typeof option === 'string') return refuseElsewhere(findNamed(option, lookup, caller));
  const inside = findOwnBlock(lookup, caller);
  if (inside !== undefined) return refuseElsewhere(lookup.view(inside));
  return findFromSession(lookup, caller);
}

/** The blocks that a listing shows: the named one, or every one that lives. `--block` alone resolves as for a change. */
export function selectListed(option: BlockOption, lookup: BlockLookup, caller: Caller): BlockView[] {
  if (typeof option === 'string') return [findNamed(option, lookup, caller)];
  if (option === true) return [resolveTarget(option, lookup, caller)];
  return listLive(lookup);
}

/**
 * The block that the caller is in, by its enclosure, else by the tag that it carries, else by the name that it was given;
 * undefined outside of any. A set AGENTMUX_BLOCKID that names no block, or another one than the caller is in, is an error
 * (`notFound`, `refused`), never passed over.
 */
export function findOwnBlock(lookup: BlockLookup, caller: Caller): BlockRecord | undefined {
  const named = caller.blockId === undefined ? undefined : findById(caller.blockId, lookup);
  if (caller.blockId !== undefined && named === undefined) {
    throw new AgentmuxError('notFound', `AGENTMUX_BLOCKID names "${caller.blockId}", and there is no such block`, {
      code: 'no-such-block',
      hint: 'unset AGENTMUX_BLOCKID, or name one of "agentmux blocks" by --block',
    });
  }
  const { records } = lookup;
  const enclosing = findByEnclosure(records, caller.groupPath) ?? findByJob(records, caller.isInJob);
  const inside = enclosing ?? findByTag(records, caller.tag);
  if (named === undefined || inside === undefined || named.id === inside.id) return inside ?? named;
  throw new AgentmuxError('refused', `AGENTMUX_BLOCKID names "${named.id}", but this is block "${inside.id}"`, {
    code: 'ambiguous-block',
    hint: listCommands([inside.id, named.id], caller),
  });
}

/** Every block with something alive, as it is now. */
export function listLive(lookup: BlockLookup): BlockView[] {
  return lookup.records.map((record) => lookup.view(record)).filter(isLive);
}

/** True if an agent runs in the block or something that it left lives. */
export function isLive(view: BlockView): boolean {
  return LIVE.has(view.status);
}

const LIVE: ReadonlySet<BlockStatus> = new Set(['starting', 'running', 'leftovers', 'wrapper-gone']);

function findNamed(text: string, lookup: BlockLookup, caller: Caller): BlockView {
  const ids = [...lookup.records, ...lookup.unreadable].map(({ id }) => id);
  const result = resolveBlockPrefix(ids, text);
  if (result.status === 'none') {
    throw new AgentmuxError('notFound', `no block "${text}"`, { code: 'no-such-block', hint: 'agentmux blocks --all' });
  }
  if (result.status === 'ambiguous') {
    throw new AgentmuxError('refused', `"${text}" may be any of ${result.candidates.length} blocks`, {
      code: 'ambiguous-block',
      hint: listCommands(result.candidates, caller),
    });
  }
  const record = findById(result.id, lookup);
  if (record === undefined) throw new Error(`internal: block "${result.id}" was listed and is not there`);
  return lookup.view(record);
}

/** Undefined if there is no such block; throws for a record that cannot be read, since it may well be meant. */
function findById(id: string, lookup: BlockLookup): BlockRecord | undefined {
  const record = lookup.records.find((candidate) => candidate.id === id);
  if (record !== undefined) return record;
  const unreadable = lookup.unreadable.find((candidate) => candidate.id === id);
  if (unreadable === undefined) return undefined;
  const { reason, detail, path } = unreadable;
  throw new AgentmuxError('failed', `the record of block "${id}" cannot be used (${reason}): ${detail}`, {
    code: 'unreadable-record',
    hint: reason === 'newer' ? 'use the newer agentmux that wrote it' : `look at "${path}" and move it away`,
  });
}

/** The innermost: names of groups hold the nonces of their blocks, and a child's group lies below its parent's. */
function findByEnclosure(records: readonly BlockRecord[], groupPath: string | undefined): BlockRecord | undefined {
  if (groupPath === undefined) return undefined;
  for (const part of groupPath.split('/').reverse()) {
    if (!part.startsWith('agentmux-')) continue;
    const found = records.find(({ id, tag }) => part === groupName(id, tag) || part === scopeName(id, tag));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The innermost: who is in the job of a child block is in that of its parent too, where it is nested in that. */
function findByJob(records: readonly BlockRecord[], isInJob: Caller['isInJob']): BlockRecord | undefined {
  const around = isInJob === undefined ? [] : records.filter(isInJob);
  return around.find(({ id }) => !around.some(({ parentId }) => parentId === id));
}

function findByTag(records: readonly BlockRecord[], tag: string | undefined): BlockRecord | undefined {
  return tag === undefined || tag === '' ? undefined : records.find((record) => record.tag === tag);
}

function findFromSession(lookup: BlockLookup, caller: Caller): BlockView {
  const here = lookup.records.filter((record) => isFromSession(record, lookup.host, caller.sessions));
  const live = here.map((record) => lookup.view(record)).filter(isLive);
  // A child block was started from the same session as its parent, and ends with it.
  const ids = new Set(live.map((view) => view.record.id));
  const outermost = live.filter(({ record }) => record.parentId === undefined || !ids.has(record.parentId));
  const [only] = outermost;
  if (only !== undefined && outermost.length === 1) {
    refuseBesideTorn(only.record.id, lookup, caller);
    return only;
  }
  const candidates = only === undefined ? listLive(lookup) : outermost;
  if (candidates.length === 0) {
    const unseen = lookup.unreadable.length;
    const but = unseen === 0 ? '' : `, as far as records can be read (${unseen} cannot)`;
    throw new AgentmuxError('notFound', `no block has live processes${but}`, {
      code: 'no-live-block',
      hint: 'agentmux blocks --all',
    });
  }
  const why =
    only === undefined
      ? 'no live block was started from here'
      : `${candidates.length} live blocks were started from here`;
  throw new AgentmuxError('refused', `${why}: name one`, {
    code: 'ambiguous-block',
    hint: listCommands(
      candidates.map((view) => view.record.id),
      caller,
    ),
  });
}

/** A damaged record may be that of another live block from here, so that the only one that can be read is a guess. */
function refuseBesideTorn(id: string, { unreadable }: BlockLookup, caller: Caller): void {
  const torn = unreadable.find(({ reason }) => reason === 'torn');
  if (torn === undefined) return;
  throw new AgentmuxError(
    'refused',
    `the record of "${torn.id}" is damaged: "${id}" may not be the only block from here`,
    {
      code: 'ambiguous-block',
      hint: listCommands([id], caller),
    },
  );
}

function isFromSession(record: BlockRecord, host: HostIdentity, sessions: readonly number[]): boolean {
  const run = record.runs.at(-1);
  if (run === undefined || record.machineId !== host.machineId) return false;
  const { bootId, pidNamespace } = run.wrapper;
  if (bootId !== host.bootId || pidNamespace !== host.pidNamespace) return false;
  return sessions.some((session) => run.callerSids.includes(session));
}

function refuseElsewhere(view: BlockView): BlockView {
  if (view.status !== 'elsewhere') return view;
  throw new AgentmuxError('refused', `block "${view.record.id}" is of another machine or pid namespace`, {
    code: 'elsewhere',
    hint: 'run this where the block was started',
  });
}

function listCommands(ids: readonly string[], caller: Caller): string {
  return ids.map((id) => `agentmux ${caller.command} --block ${id}`).join('\n');
}
