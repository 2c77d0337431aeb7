import type { Command } from 'commander';
import { redactArgv } from '../annotate/redact.ts';
import { buildRows } from '../annotate/rows.ts';
import { sumRows } from '../annotate/totals.ts';
import type { Context } from '../context.ts';
import type { RunRecord } from '../model/block.ts';
import type { ListenersResult } from '../platform/platform.ts';
import { type BlockRow, blockColumns, type RunRow } from '../render/block-table.ts';
import { renderJson } from '../render/json.ts';
import { renderTable } from '../render/table.ts';
import { escapeUntrusted } from '../render/untrusted.ts';
import type { BlockView } from '../trackers/inspect.ts';
import { examplesHelp } from './shared/help.ts';
import { openListing } from './shared/listing.ts';
import { addListingOptions, type RawListingOptions } from './shared/listing-options.ts';
import { describeTracking } from './shared/notes.ts';
import { fillRow, parseOutputForm } from './shared/output-form.ts';
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
  addListingOptions(command, 'blocks that ended too')
    .option('-q, --quiet', 'print only the ids')
    .option('--format <form>', "table, json, or fields of the JSON rows, as in '{{.id}} {{.status}}'")
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action((options: BlocksOptions) => listBlocks(context, options));
}

const EXAMPLES = [
  ['agentmux blocks', 'all live blocks'],
  ['agentmux blocks --all', 'those that ended too'],
  ['agentmux blocks --verbose', 'with how each is tracked, and why not better'],
  ['agentmux blocks --json', 'for scripts'],
] as const;

interface BlocksOptions extends RawListingOptions {
  readonly quiet?: boolean;
  readonly format?: string;
}

async function listBlocks(context: Context, options: BlocksOptions): Promise<void> {
  const form = parseOutputForm(options, BLOCK_FIELDS);
  const { block, all, verbose } = options;
  const listing = openListing(context, { block, scope: all ? 'recorded' : 'known', command: 'blocks' });
  const pids = listing.views.flatMap((view) => view.members.map((member) => member.pid));
  const needsRows = form.type !== 'quiet';
  const listeners = options.ports && needsRows ? context.platform.readListeners(new Set(pids)) : undefined;
  const blocks = needsRows ? listing.views.map((view) => toRow(context, view, listeners, options.redact)) : [];
  switch (form.type) {
    case 'json':
      return context.stdout.write(renderJson({ blocks, warnings: listing.unreadable }));
    case 'quiet':
      return context.stdout.write(listing.views.map(({ record }) => `${escapeUntrusted(record.id)}\n`).join(''));
    case 'template':
      return context.stdout.write(blocks.map((row) => fillRow(form.template, row)).join(''));
    case 'table': {
      if (blocks.length === 0) context.stderr.write(`${describeNone(listing.recorded)}\n`);
      const columns = blockColumns(context.now(), { ports: options.ports });
      context.stdout.write(await renderTable(columns, blocks, viewOf(context, { noTrunc: !options.trunc })));
      if (!verbose) return;
      for (const line of blocks.flatMap(describeTracking)) context.stderr.write(`${escapeUntrusted(line)}\n`);
    }
  }
}

function describeNone(recorded: number): string {
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
