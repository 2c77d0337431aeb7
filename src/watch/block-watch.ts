import { redactArgv } from '../annotate/redact.ts';
import { averagePercent, buildRows, type RowsInput } from '../annotate/rows.ts';
import { sumRows } from '../annotate/totals.ts';
import { buildForest, flattenForest } from '../model/tree.ts';
import type { Platform } from '../platform/platform.ts';
import type { BlockSummary } from '../render/block-table.ts';
import type { WatchBlock, WatchRow } from '../render/screen-types.ts';
import type { BlockView } from '../trackers/inspect.ts';
import type { DetailCache } from './detail-cache.ts';
import type { ProcessTable } from './process-table.ts';

/** What rows and blocks of the view are joined from. */
export interface JoinDeps {
  readonly platform: Platform;
  readonly table: ProcessTable;
  readonly details: DetailCache;
  readonly ports: boolean;
  readonly redact: boolean;
  summarize(view: BlockView): BlockSummary;
}

/** What is told of the members beside what the system says of them. */
export type ToldRows = Pick<RowsInput, 'calls' | 'entries' | 'kept'>;

/** The members of a block as rows, oldest first. */
export function joinRows(view: BlockView, nowMs: number, told: ToldRows, deps: JoinDeps): WatchRow[] {
  const { details, table, platform } = deps;
  const pids = view.members.map(({ pid }) => pid);
  const rows = buildRows({
    blockId: view.record.id,
    members: view.members,
    details: new Map(pids.map((pid) => [pid, details.read(pid, ALL_FIELDS)])),
    ...(deps.ports && { listeners: details.listenersOf(pids) }),
    nowMs,
    startedAtMs: (startTicks) => platform.startedAtMs(startTicks),
    ttyName: (ttyNr) => platform.ttyName(ttyNr),
    redact: deps.redact,
    describe: details.describe,
    ...told,
  });
  return flattenForest(buildForest(rows, ({ role }) => role === 'root'))
    .map(({ item, reparented }): WatchRow => {
      const cpuNowPercent = table.percent(item.pid) ?? item.cpuPercent;
      return { ...item, orphan: reparented, cpuNowPercent, seenAtMs: undefined, goneAtMs: undefined };
    })
    .sort((a, b) => (a.startTicks ?? 0) - (b.startTicks ?? 0) || a.pid - b.pid);
}

/** A row with the numbers of the last reading. Undefined if the process is not the one of the row any more. */
export function patchRow(
  row: WatchRow,
  nowMs: number,
  deps: Pick<JoinDeps, 'table' | 'details'>,
): WatchRow | undefined {
  const stat = deps.table.stat(row.pid);
  if (stat === undefined || stat.startTicks !== row.startTicks) return undefined;
  const { privateBytes } = deps.details.read(row.pid, ALL_FIELDS);
  const ageMs = row.startedAtMs === undefined ? undefined : Math.max(0, nowMs - row.startedAtMs);
  const { state, cpuMs, rssBytes } = stat;
  const cpuPercent = averagePercent(cpuMs, ageMs);
  const cpuNowPercent = deps.table.percent(row.pid) ?? cpuPercent;
  return { ...row, ageMs, state, cpuMs, rssBytes, privateBytes, cpuPercent, cpuNowPercent };
}

const ALL_FIELDS = { argv: true, exe: true, cwd: true, status: true } as const;

/** A block with its sums. `cpuNowPercent` is the block's own, from what the kernel counts for all of it. */
export function joinBlock(
  view: BlockView,
  rows: readonly WatchRow[],
  facts: { readonly cpuNowPercent: number | undefined; readonly frozen: boolean; readonly entries: number | undefined },
  deps: JoinDeps,
): WatchBlock {
  const { privateBytes, memoryIsPartial, ports } = sumRows(rows);
  const run = view.record.runs.at(-1);
  const argv = run?.argv ?? [];
  const summary = deps.summarize(view);
  const isSeen = summary.processes !== undefined;
  return {
    ...summary,
    ...facts,
    cpuNowPercent: isSeen ? facts.cpuNowPercent : undefined,
    privateBytes: isSeen ? privateBytes : undefined,
    memoryIsPartial,
    ports: isSeen && deps.ports ? ports : undefined,
    argv: deps.redact ? redactArgv(argv).argv : argv,
    cwd: run?.cwd,
    tty: run?.tty,
    seenAtMs: undefined,
    goneAtMs: undefined,
  };
}

/** Each block followed by those inside it, else as they were: oldest first. */
export function orderBlocks<Block extends { readonly id: string; readonly parentId: string | undefined }>(
  blocks: readonly Block[],
): Block[] {
  const ids = new Set(blocks.map(({ id }) => id));
  const ordered = new Set<Block>();
  const add = (block: Block): void => {
    if (ordered.has(block)) return;
    ordered.add(block);
    for (const inner of blocks) if (inner.parentId === block.id) add(inner);
  };
  for (const block of blocks) if (block.parentId === undefined || !ids.has(block.parentId)) add(block);
  for (const block of blocks) add(block);
  return [...ordered];
}
