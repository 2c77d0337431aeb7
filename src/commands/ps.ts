import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { processFilter, processSort } from '../filter/process-query.ts';
import { renderJson } from '../render/json.ts';
import { describeOddities, processColumns, type ShownRow } from '../render/process-table.ts';
import { renderTable, type TableView } from '../render/table.ts';
import { readTold } from './shared/entries.ts';
import { examplesHelp } from './shared/help.ts';
import { type Listing, openListing } from './shared/listing.ts';
import {
  addListingOptions,
  addQueryOptions,
  parseRowQuery,
  type RawListingOptions,
  type RawQueryOptions,
} from './shared/listing-options.ts';
import { tellAboutRows } from './shared/notes.ts';
import { type OutputForm, parseOutputForm, renderIdentity, renderListing } from './shared/output-form.ts';
import { rowFields } from './shared/row-fields.ts';
import { collectRows, listOwnPorts, readListeners } from './shared/shown-rows.ts';
import { summarize } from './shared/summaries.ts';
import { viewOf } from './shared/view.ts';

/** `agentmux ps`: what the agents of this machine started. */
export function registerPs(program: Command, context: Context): void {
  const command = program
    .command('ps')
    .summary('list what agents started')
    .description(
      'List the processes that agents started, with age, cost, listening ports and command. Of the agents themselves and ' +
        'their helpers (MCP servers and the like) nothing is listed, unless --all asks for it.',
    );
  addListingOptions(command, 'every process of the block, the agent and its own helpers included').option(
    '--explain',
    'say what each process is and why',
  );
  addQueryOptions(command, {
    quiet: 'pid:starttime, what kill accepts',
    format: '{{.pid}} {{.command}}',
    filter: processFilter,
    sort: processSort,
  })
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action((options: PsOptions) => listProcesses(context, options));
}

const EXAMPLES = [
  ['agentmux ps', 'what the agents of all live blocks started'],
  ['agentmux ps --block', 'the same for the block that we are in'],
  ['agentmux ps --all --explain', 'with the agents, their helpers, and why each is what it is'],
  ['agentmux ps --filter port=3000', 'who listens on port 3000'],
  ['agentmux ps --sort -memory', 'the largest first'],
  ['agentmux kill $(agentmux ps -q --filter command=vite)', 'end all that has vite in its command'],
] as const;

/** The flags of `ps`, as commander leaves them. */
export interface PsOptions extends RawListingOptions, RawQueryOptions {
  readonly explain?: boolean;
}

/** Prints what `ps` prints. Throws AgentmuxError as openListing does, and `usage`. */
export async function listProcesses(context: Context, options: PsOptions): Promise<void> {
  const form = parseOutputForm(options, rowFields);
  const query = parseRowQuery(options, processFilter, processSort);
  const listing = openListing(context, { block: options.block, scope: 'live', command: 'ps' });
  const told = needsTold(options, form) ? await readTold(context, listing.views) : undefined;
  const hasPorts = options.ports && form.type !== 'quiet' ? true : usesPorts(options);
  const listeners = hasPorts ? readListeners(context, listing.views) : undefined;
  const rows = collectRows(context, listing.views, {
    ...(told !== undefined && { told }),
    all: options.all ?? false,
    listeners,
    cwd: form.type === 'json' || form.type === 'template' || options.verbose === true || areApart(listing),
    redact: options.redact,
  });
  const sorted = query.apply(rows);

  if (form.type === 'table')
    tellAboutRows(context, listing, sorted, {
      handOversOf: (view) => told?.(view).handOvers?.() ?? [],
      ownPortsOf: (view) => (listeners === undefined ? [] : listOwnPorts(view, listeners)),
      ...options,
      filtered: rows.length > sorted.length,
    });
  const text = await renderListing(form, () => sorted, {
    json: () => renderJson({ blocks: listing.views.map(summarize), rows: sorted, warnings: listing.unreadable }),
    quiet: () => sorted.map(renderIdentity).join(''),
    table: () => renderRows(options, listing, sorted, viewOf(context, { noTrunc: !options.trunc })),
  });
  context.stdout.write(text);
}

function renderRows(options: PsOptions, listing: Listing, rows: readonly ShownRow[], view: TableView): Promise<string> {
  const columns = processColumns({
    block: listing.views.length > 1,
    role: options.all === true || options.explain === true,
    ports: options.ports,
    entries: rows.some((row) => row.entry !== undefined),
    calls: rows.some((row) => row.label !== undefined),
    notes: rows.some((row) => describeOddities(row) !== ''),
    why: options.explain === true || options.verbose === true,
    verbose: options.verbose ?? false,
    directories: areApart(listing),
  });
  return renderTable(columns, rows, view);
}

/** True for blocks in several directories, so that it matters in which of them a server or a build runs. */
function areApart({ views }: Listing): boolean {
  return (
    new Set(views.flatMap(({ record, members }) => (members.length > 0 ? (record.runs.at(-1)?.cwd ?? []) : []))).size >
    1
  );
}

/** With `-q` nobody sees calls and entries either. */
function needsTold({ filter = [] }: PsOptions, form: OutputForm): boolean {
  return form.type !== 'quiet' || filter.some((text) => /^(?:entry|call|label|kept)\b/.test(text));
}

/** With `-q` nobody sees ports; a filter or an order may still ask for them. */
function usesPorts({ ports, filter = [], sort }: PsOptions): boolean {
  return ports && (filter.some((text) => text.startsWith('port')) || /\bport\b/.test(sort ?? ''));
}
