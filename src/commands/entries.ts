import type { Command } from 'commander';
import { buildEntryRows, type EntryRow, foldEntries } from '../annotate/entry-rows.ts';
import type { Context } from '../context.ts';
import { entryFilter, entrySort } from '../filter/entry-query.ts';
import type { ListenersResult } from '../platform/platform.ts';
import { entryColumns } from '../render/entry-table.ts';
import { renderJson } from '../render/json.ts';
import { renderTable } from '../render/table.ts';
import { escapeUntrusted } from '../render/untrusted.ts';
import { settleAll } from './shared/entries.ts';
import { examplesHelp } from './shared/help.ts';
import { openKept } from './shared/kept.ts';
import { type Listing, openListing } from './shared/listing.ts';
import {
  addListingOptions,
  addQueryOptions,
  parseRowQuery,
  type RawListingOptions,
  type RawQueryOptions,
} from './shared/listing-options.ts';
import { tellAboutBlocks } from './shared/notes.ts';
import { parseOutputForm, renderListing } from './shared/output-form.ts';
import { summarize } from './shared/summaries.ts';
import { viewOf } from './shared/view.ts';

/** `agentmux entries`: the background and detached things of the agents. */
export function registerEntries(program: Command, context: Context): void {
  const command = program
    .command('entries')
    .summary('list what runs in the background')
    .description(
      'List what agents left running beside them, one line for each thing: tool calls in the background, and what outlived ' +
        'its call. An entry runs while any process of it lives. Its id, p1, p2 …, is what kill, why and keep accept; it is ' +
        'never used again in its block. What has exited is listed for 30 seconds, and with --all as long as its block.',
    );
  addQueryOptions(addListingOptions(command, 'entries that exited earlier, too'), {
    quiet: 'the ids',
    format: '{{.id}} {{.command}}',
    filter: entryFilter,
    sort: entrySort,
  })
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action((options: EntriesOptions) => listEntries(context, options));
}

const EXAMPLES = [
  ['agentmux entries', 'what runs in the background, of all live blocks'],
  ['agentmux entries --block', 'the same for the block that we are in'],
  ['agentmux kill p2', 'end one of them, with all that belongs to it'],
  ['agentmux entries --filter port=3000', 'which one holds the port'],
] as const;

type EntriesOptions = RawListingOptions & RawQueryOptions;

async function listEntries(context: Context, options: EntriesOptions): Promise<void> {
  const form = parseOutputForm(options, ENTRY_FIELDS);
  const query = parseRowQuery(options, entryFilter, entrySort);
  const scope = options.all ? 'recorded' : 'live';
  const listing = openListing(context, { block: options.block, scope, command: 'entries' });
  const all = await collectEntries(context, listing, options);
  const rows = query.apply(all);
  const text = await renderListing(form, () => rows, {
    json: () => renderJson({ blocks: listing.views.map(summarize), entries: rows, warnings: listing.unreadable }),
    quiet: () => rows.map(({ id }) => `${id}\n`).join(''),
    table: () => {
      tellAboutBlocks(context, listing, { verbose: options.verbose ?? false });
      if (rows.length === 0 && listing.views.length > 0) {
        context.stderr.write(all.length > 0 ? 'no entry matches the filter\n' : `${describeNone(listing)}\n`);
      }
      const view = viewOf(context, { noTrunc: !options.trunc });
      const columns = entryColumns({
        block: listing.views.length > 1,
        ports: options.ports,
        names: rows.some(({ name, command }) => name !== command),
        calls: rows.some(({ label }) => label !== undefined),
        notes: rows.some(({ kept }) => kept),
        unicode: view.unicode,
      });
      return renderTable(columns, foldEntries(rows), { ...view, clips: options.trunc });
    },
  });
  context.stdout.write(text);
}

async function collectEntries(context: Context, listing: Listing, options: EntriesOptions): Promise<EntryRow[]> {
  const { platform } = context;
  const { views } = listing;
  const pids = new Set(views.flatMap(({ members }) => members.map(({ pid }) => pid)));
  const listeners: ListenersResult | undefined = options.ports ? platform.readListeners(pids) : undefined;
  const settled = await settleAll(context, views, listeners);
  const kept = openKept(
    context,
    views.map(({ record }) => record),
  );
  const nowMs = context.now();
  return views.flatMap((view) =>
    buildEntryRows({
      blockId: view.record.id,
      entries: (settled.get(view.record.id)?.entries ?? []).filter(
        ({ status, endedAtMs }) => options.all || status === 'running' || nowMs - (endedAtMs ?? 0) <= LINGER_MS,
      ),
      nowMs,
      redact: options.redact,
      memoryOf: (pid) => platform.readDetails(pid, { status: true }).privateBytes,
      kept: kept(view.record, view.members),
    }),
  );
}

/** As long as `watch` shows what has gone. */
const LINGER_MS = 30_000;

function describeNone({ views }: Listing): string {
  const [only] = views;
  const where = only !== undefined && views.length === 1 ? escapeUntrusted(only.record.id) : 'these blocks';
  return `nothing of ${where} runs in the background`;
}

/** The fields of a row; a test holds them to schema/entries.schema.json. */
const ENTRY_FIELDS: readonly (keyof EntryRow)[] = [
  ...(['blockId', 'id', 'source', 'status', 'command', 'name', 'taskId', 'pid', 'pgid', 'ports'] as const),
  ...(['startedAtMs', 'endedAtMs', 'uptimeMs', 'pids', 'privateBytes', 'label', 'kept', 'note', 'redacted'] as const),
];
