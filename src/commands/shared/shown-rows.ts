import { buildRows } from '../../annotate/rows.ts';
import type { Context } from '../../context.ts';
import type { ProcessDetails } from '../../model/process.ts';
import { buildForest, flattenForest } from '../../model/tree.ts';
import type { DetailFields, ListenersResult } from '../../platform/platform.ts';
import type { ShownRow } from '../../render/process-table.ts';
import type { BlockView, MemberView } from '../../trackers/inspect.ts';
import type { Told } from './entries.ts';

/** What is to be known of the rows; all of it costs reads. */
export interface RowsRequest {
  /** Every member; else only what an agent started. */
  readonly all: boolean;
  /** Listening sockets of all members (readListeners below); undefined: nobody asks for them. */
  readonly listeners: ListenersResult | undefined;
  /** Working directories. */
  readonly cwd: boolean;
  readonly redact: boolean;
  /** Calls, entries and what is kept; without it they are not known. */
  readonly told?: Told;
}

/**
 * The processes of some blocks, each once: what is a member of a block and of its child is shown with the child, unless
 * it is only the parent to which it is something that an agent started. Per block oldest first.
 */
export function collectRows(context: Context, views: readonly BlockView[], request: RowsRequest): ShownRow[] {
  const home = assignHomes(views, request.all);
  const { listeners } = request;
  return views.flatMap((view) => {
    const shown = view.members.filter((member) => home.get(member.pid) === view);
    if (shown.length === 0) return [];
    const rows = buildRows({
      blockId: view.record.id,
      members: view.members,
      details: readDetails(context, shown, request.cwd),
      ...(listeners !== undefined && { listeners }),
      nowMs: context.now(),
      startedAtMs: (startTicks) => context.platform.startedAtMs(startTicks),
      ttyName: (ttyNr) => context.platform.ttyName(ttyNr),
      redact: request.redact,
      ...request.told?.(view),
    });
    // Every member takes part, shown or not: a parent that is hidden has not gone.
    return flattenOldestFirst(buildForest(rows, (row) => row.role === 'root')).filter(
      (row) => home.get(row.pid) === view,
    );
  });
}

function flattenOldestFirst(forest: ReturnType<typeof buildForest<ReturnType<typeof buildRows>[number]>>): ShownRow[] {
  return flattenForest(forest)
    .map(({ item, reparented }) => ({ ...item, orphan: reparented }))
    .sort((a, b) => (a.startTicks ?? 0) - (b.startTicks ?? 0) || a.pid - b.pid);
}

/** The block under which each process is shown: the innermost that has it. */
function assignHomes(views: readonly BlockView[], all: boolean): Map<number, BlockView> {
  const home = new Map<number, BlockView>();
  for (const view of [...views].sort((a, b) => depthOf(a, views) - depthOf(b, views))) {
    for (const member of view.members) {
      if (all || member.role === 'started') home.set(member.pid, view);
    }
  }
  return home;
}

function depthOf(view: BlockView, views: readonly BlockView[]): number {
  let depth = 0;
  for (let at: BlockView | undefined = view; at !== undefined && depth <= views.length; depth++) {
    const { parentId }: { readonly parentId: string | undefined } = at.record;
    at = views.find((other) => other.record.id === parentId);
  }
  return depth;
}

/** Listening sockets of the members of some blocks. */
export function readListeners(context: Context, views: readonly BlockView[]): ListenersResult {
  return context.platform.readListeners(new Set(views.flatMap((view) => view.members.map(({ pid }) => pid))));
}

/** Ports that only the agent of a block and its own helpers listen on, ascending. */
export function listOwnPorts({ members }: BlockView, { byPid }: ListenersResult): number[] {
  const portsOf = (isStarted: boolean): number[] =>
    members.flatMap(({ pid, role }) =>
      (role === 'started') === isStarted ? (byPid.get(pid) ?? []).map(({ port }) => port) : [],
    );
  const started = new Set(portsOf(true));
  return [...new Set(portsOf(false))].filter((port) => !started.has(port)).sort((a, b) => a - b);
}

function readDetails(context: Context, members: readonly MemberView[], cwd: boolean): Map<number, ProcessDetails> {
  return new Map(
    members.map((member) => [member.pid, context.platform.readDetails(member.pid, fieldsFor(member, cwd))]),
  );
}

/** What the look at the block has not read already. A replacement character tells of bytes that are no UTF-8. */
function fieldsFor(member: MemberView, cwd: boolean): DetailFields {
  const isLossy = member.argv?.some((word) => word.includes('\ufffd')) ?? true;
  return { argv: isLossy, exe: member.exe === undefined, cwd, status: true };
}
