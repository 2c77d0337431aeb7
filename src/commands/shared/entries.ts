import { scriptOf } from '../../annotate/entry-name.ts';
import { findHandOvers } from '../../annotate/hand-overs.ts';
import type { RowsInput } from '../../annotate/rows.ts';
import { type BlockEntries, type EntriesDeps, readEntries, settleEntries } from '../../calls/entries-reader.ts';
import type { Context } from '../../context.ts';
import { AgentmuxError } from '../../errors.ts';
import type { BlockRecord } from '../../model/block.ts';
import type { Entry } from '../../model/entry.ts';
import type { ListenersResult } from '../../platform/platform.ts';
import type { BlockView } from '../../trackers/inspect.ts';
import { openKept } from './kept.ts';

/** The entries of some blocks, by block id. */
export type EntriesByBlock = ReadonlyMap<string, BlockEntries>;

/** Reads the entries of the blocks and gives ids to new ones; ports as far as they were read. */
export async function settleAll(
  context: Context,
  views: readonly BlockView[],
  listeners?: ListenersResult,
): Promise<EntriesByBlock> {
  const deps = depsOf(context, listeners);
  const settled = new Map<string, BlockEntries>();
  for (const view of views.filter(isTracked)) settled.set(view.record.id, await settleEntries(view, deps));
  return settled;
}

/** The entries of a block that have an id already. Writes nothing. */
export function readKnownEntries(context: Context, view: BlockView): readonly Entry[] {
  return isTracked(view) ? readEntries(view, depsOf(context, undefined)).entries : [];
}

/** What is known of the members of a block by its calls and entries, and which are kept, as rows are joined from it. */
export type Told = (view: BlockView) => Pick<RowsInput, 'calls' | 'entries' | 'kept'> & {
  /** Programs that calls of the block handed work to, which is no member of it. */
  readonly handOvers?: () => readonly string[];
};

/** Reads calls, entries and what is kept of the blocks for their rows. Gives ids to new entries. */
export async function readTold(context: Context, views: readonly BlockView[]): Promise<Told> {
  const settled = await settleAll(context, views);
  const kept = openKept(
    context,
    views.map(({ record }) => record),
  );
  return ({ record, members }) => {
    const entries = settled.get(record.id);
    if (entries === undefined) return {};
    return {
      calls: entries.labels,
      entries: entries.entryOf,
      kept: kept(record, members),
      handOvers: () => listHandOvers(record, entries.commands),
    };
  };
}

/** From the calls of a block, and what its own shell was told to run. */
function listHandOvers({ runs }: BlockRecord, commands: readonly string[]): string[] {
  const scripts = runs.flatMap(({ argv }) => scriptOf({ exe: undefined, argv, comm: undefined }) ?? []);
  return [...new Set([...scripts, ...commands].flatMap((command) => findHandOvers(command)))];
}

/** An entry with its block. */
export interface FoundEntry {
  readonly view: BlockView;
  readonly entry: Entry;
}

/**
 * The entry of that id. Throws AgentmuxError `notFound`, or `refused` with the commands that would tell apart those of
 * several blocks; of a block and the one that it is inside of the running one counts. `command` is what was typed.
 */
export function resolveEntry(
  id: string,
  views: readonly BlockView[],
  entries: EntriesByBlock,
  command: string,
): FoundEntry {
  const found = views.flatMap((view): FoundEntry[] => {
    const entry = entries.get(view.record.id)?.entries.find((one) => one.id === id);
    return entry === undefined ? [] : [{ view, entry }];
  });
  const running = found.filter(({ entry }) => entry.status === 'running');
  const candidates = running.length > 0 ? running : found;
  const [only] = candidates;
  if (only === undefined) {
    throw new AgentmuxError('notFound', `no entry "${id}" of a live block`, {
      code: 'no-such-entry',
      hint: 'agentmux entries',
    });
  }
  if (candidates.length === 1) return only;
  throw new AgentmuxError('refused', `${candidates.length} blocks have an entry "${id}": name the block`, {
    code: 'ambiguous-entry',
    hint: candidates.map(({ view }) => `agentmux ${command} --block ${view.record.id} ${id}`).join('\n'),
  });
}

/** Reads entries without waiting, as a view that is drawn again and again needs them: new ones have their ids next time. */
export function createEntriesWatcher(context: Context) {
  const busy = new Set<string>();
  return (view: BlockView, portsOf: (pid: number) => readonly number[]): BlockEntries => {
    const deps = { ...depsOf(context, undefined), portsOf };
    const read = readEntries(view, deps);
    const { id } = view.record;
    if (!read.isSettled && !busy.has(id)) {
      busy.add(id);
      void settleEntries(view, deps)
        .catch(() => undefined)
        .finally(() => busy.delete(id));
    }
    return read;
  };
}

function isTracked({ record, status }: BlockView): boolean {
  return record.tracker.type !== 'stub' && status !== 'elsewhere';
}

function depsOf(context: Context, listeners: ListenersResult | undefined): EntriesDeps {
  const { platform, store } = context;
  return {
    platform,
    store,
    now: () => context.now(),
    portsOf: (pid) => listeners?.byPid.get(pid)?.map(({ port }) => port) ?? [],
  };
}
