import type { Command } from 'commander';
import { redactArgv } from '../annotate/redact.ts';
import { buildRows } from '../annotate/rows.ts';
import { sumRows } from '../annotate/totals.ts';
import type { Context } from '../context.ts';
import type { RunRecord } from '../model/block.ts';
import type { ListenersResult } from '../platform/platform.ts';
import { blockQuery } from '../render/block-query.ts';
import { type BlockRow, blockColumns, type RunRow } from '../render/block-table.ts';
import { renderJson } from '../render/json.ts';
import { renderTable } from '../render/table.ts';
import { escapeUntrusted } from '../render/untrusted.ts';
import type { BlockView } from '../trackers/inspect.ts';
import { examplesHelp } from './shared/help.ts';
import { type Listing, openListing } from './shared/listing.ts';
import {
  addListingOptions,
  addQueryOptions,
  parseRowQuery,
  type RawListingOptions,
  type RawQueryOptions,
} from './shared/listing-options.ts';
import { describeTracking } from './shared/notes.ts';
import { parseOutputForm, renderListing } from './shared/output-form.ts';
import { summarize } from './shared/summaries.ts';
import { viewOf } from './shared/view.ts';

/** `agentmux blocks`: the blocks of this machine, each with what it costs. */
export function registerBlocks(program: Command, context: Context): void {
  const command = program
    .command('blocks')
    .summary('list the blocks')
    .description(
      'List the blocks: each agent with its state, how sure we are of what it started, how many processes it started of how ' +
        'many there are, their CPU time, memory and listening ports.',
    );
  addListingOptions(command, 'blocks that ended too');
  addQueryOptions(command, { quiet: 'the ids', format: '{{.id}} {{.status}}', ...blockQuery(0) })
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action((options: BlocksOptions) => listBlocks(context, options));
}

const EXAMPLES = [
  ['agentmux blocks', 'all live blocks'],
  ['agentmux blocks --all', 'those that ended too'],
  ['agentmux blocks --verbose', 'with how each is tracked, and why not better'],
  ['agentmux blocks --filter status=leftovers -q', 'the ids of those whose agent has left something'],
  ['agentmux blocks --json', 'for scripts'],
] as const;

type BlocksOptions = RawListingOptions & RawQueryOptions;

async function listBlocks(context: Context, options: BlocksOptions): Promise<void> {
  const form = parseOutputForm(options, BLOCK_FIELDS);
  const { filter, sort } = blockQuery(context.now());
  const query = parseRowQuery(options, filter, sort);
  const scope = options.all ? 'recorded' : 'known';
  const listing = openListing(context, { block: options.block, scope, command: 'blocks' });
  if (form.type === 'quiet' && query.isPlain) {
    context.stdout.write(renderIds(listing.views.map(({ record }) => record)));
    return;
  }
  const pids = listing.views.flatMap((view) => view.members.map((member) => member.pid));
  const listeners = options.ports ? context.platform.readListeners(new Set(pids)) : undefined;
  const blocks = query.apply(listing.views.map((view) => toRow(context, view, listeners, options.redact)));
  const text = await renderListing(form, () => blocks, {
    json: () => renderJson({ blocks, warnings: listing.unreadable }),
    quiet: () => renderIds(blocks),
    table: () => {
      if (blocks.length === 0) context.stderr.write(`${describeNone(listing)}\n`);
      const columns = blockColumns(context.now(), { ports: options.ports });
      return renderTable(columns, blocks, viewOf(context, { noTrunc: !options.trunc }));
    },
  });
  context.stdout.write(text);
  if (form.type !== 'table' || !options.verbose) return;
  for (const line of blocks.flatMap(describeTracking)) context.stderr.write(`${escapeUntrusted(line)}\n`);
}

function renderIds(blocks: readonly { readonly id: string }[]): string {
  return blocks.map(({ id }) => `${escapeUntrusted(id)}\n`).join('');
}

function describeNone({ views, recorded }: Listing): string {
  if (views.length > 0) return 'no block matches the filter';
  return recorded === 0
    ? 'no blocks: agentmux-run COMMAND starts one'
    : 'no live blocks: agentmux blocks --all shows those that ended';
}

function toRow(context: Context, view: BlockView, listeners: ListenersResult | undefined, redact: boolean): BlockRow {
  const { record } = view;
  const rows = buildRows({
    blockId: record.id,
    members: view.members,
    details: new Map(view.members.map(({ pid }) => [pid, context.platform.readDetails(pid, { status: true })])),
    ...(listeners !== undefined && { listeners }),
    nowMs: context.now(),
    startedAtMs: (startTicks) => context.platform.startedAtMs(startTicks),
    redact,
  });
  const { privateBytes, memoryIsPartial, ports } = sumRows(rows);
  const summary = summarize(view);
  const isSeen = summary.processes !== undefined;
  const runs = record.runs.map((run) => toRunRow(run, redact));
  return {
    ...summary,
    kind: record.kind,
    endedAtMs: record.runs.at(-1)?.endedAtMs,
    cpuMs: isSeen ? view.cpuMs : undefined,
    cpuIncludesExited: view.cpuIncludesExited,
    privateBytes: isSeen ? privateBytes : undefined,
    memoryIsPartial,
    ports: isSeen && listeners !== undefined ? (ports ?? undefined) : undefined,
    redacted: runs.some((run) => run.redacted),
    runs: runs.map((run) => run.row),
  };
}

function toRunRow(run: RunRecord, redact: boolean): { readonly row: RunRow; readonly redacted: boolean } {
  const { argv, redacted } = redact ? redactArgv(run.argv) : { argv: run.argv, redacted: false };
  const { cwd, tty, startedAtMs, endedAtMs, exit } = run;
  const [rootPid, wrapperPid] = [run.root?.pid, run.wrapper.pid];
  return { row: { rootPid, wrapperPid, argv, cwd, tty, startedAtMs, endedAtMs, exit }, redacted };
}

/** The fields of a block's row; a test holds it to schema/blocks.schema.json. */
const BLOCK_FIELDS: readonly (keyof BlockRow)[] = [
  ...(['id', 'agent', 'kind', 'parentId', 'status', 'tracker', 'startedAtMs', 'endedAtMs', 'agentStarted'] as const),
  ...(['processes', 'zombies', 'cpuMs', 'cpuIncludesExited', 'privateBytes', 'memoryIsPartial', 'ports'] as const),
  ...(['redacted', 'runs'] as const),
];
