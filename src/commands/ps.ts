import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { FILTER_HELP, matchesFilters, parseFilters } from '../filter/query.ts';
import { parseSort, SORT_KEYS, sortRows } from '../filter/sort.ts';
import { formatIdentity } from '../model/identity.ts';
import { renderJson } from '../render/json.ts';
import { describeOddities, processColumns, type ShownRow } from '../render/process-table.ts';
import { renderTable } from '../render/table.ts';
import { examplesHelp } from './shared/help.ts';
import { type Listing, openListing } from './shared/listing.ts';
import { addListingOptions, type RawListingOptions } from './shared/listing-options.ts';
import { tellAboutRows } from './shared/notes.ts';
import { fillRow, type OutputForm, parseOutputForm } from './shared/output-form.ts';
import { collectRows } from './shared/shown-rows.ts';
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
  addListingOptions(command, 'every process of the block, the agent and its own helpers included')
    .option('--explain', 'say what each process is and why')
    .option('-q, --quiet', 'print only pid:starttime, what kill accepts')
    .option('--format <form>', "table, json, or fields of the JSON rows, as in '{{.pid}} {{.command}}'")
    .option('-f, --filter <filter>', `only rows with ${FILTER_HELP}; may be repeated`, collect)
    .option('--sort <keys>', `one of ${SORT_KEYS.join(', ')}, or several with commas between; -KEY for descending`)
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

interface PsOptions extends RawListingOptions {
  readonly explain?: boolean;
  readonly quiet?: boolean;
  readonly format?: string;
  readonly filter?: readonly string[];
  readonly sort?: string;
}

async function listProcesses(context: Context, options: PsOptions): Promise<void> {
  const form = parseOutputForm(options, ROW_FIELDS);
  const filters = parseFilters(options.filter ?? []);
  const sort = options.sort === undefined ? undefined : parseSort(options.sort);

  const listing = openListing(context, { block: options.block, scope: 'live', command: 'ps' });
  const rows = collectRows(context, listing.views, {
    all: options.all ?? false,
    ports: options.ports && form.type !== 'quiet' ? true : usesPorts(options),
    cwd: form.type === 'json' || form.type === 'template' || options.verbose === true,
    redact: options.redact,
  });
  const matching = rows.filter((row) => matchesFilters(row, filters));
  const sorted = sort === undefined ? matching : sortRows(matching, sort);

  if (form.type === 'table')
    tellAboutRows(context, listing, sorted, { ...options, filtered: rows.length > sorted.length });
  context.stdout.write(await renderRows(context, options, form, listing, sorted));
}

async function renderRows(
  context: Context,
  options: PsOptions,
  form: OutputForm,
  listing: Listing,
  rows: readonly ShownRow[],
): Promise<string> {
  switch (form.type) {
    case 'json':
      return renderJson({ blocks: listing.views.map(summarize), rows, warnings: listing.unreadable });
    case 'quiet':
      return rows.map((row) => `${nameRow(row)}\n`).join('');
    case 'template':
      return rows.map((row) => fillRow(form.template, row)).join('');
    case 'table': {
      const columns = processColumns({
        block: listing.views.length > 1,
        role: options.all === true || options.explain === true,
        ports: options.ports,
        notes: rows.some((row) => describeOddities(row) !== ''),
        why: options.explain === true || options.verbose === true,
        verbose: options.verbose ?? false,
      });
      return renderTable(columns, rows, viewOf(context, { noTrunc: !options.trunc }));
    }
  }
}

function nameRow({ pid, startTicks }: ShownRow): string {
  return startTicks === undefined ? String(pid) : formatIdentity({ pid, startTicks });
}

/** With `-q` nobody sees ports; a filter or an order may still ask for them. */
function usesPorts({ ports, filter = [], sort }: PsOptions): boolean {
  return ports && (filter.some((text) => text.startsWith('port')) || /\bport\b/.test(sort ?? ''));
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** The fields of a row, in the order of the documentation; a test holds it to schema/ps.schema.json. */
const ROW_FIELDS: readonly (keyof ShownRow)[] = [
  ...(['blockId', 'pid', 'parentPid', 'startTicks', 'startedAtMs', 'ageMs', 'state', 'cpuMs', 'cpuPercent'] as const),
  ...([
    'rssBytes',
    'privateBytes',
    'listeners',
    'sharedListeners',
    'comm',
    'command',
    'argv',
    'commandBase64',
  ] as const),
  ...(['exe', 'cwd', 'uid', 'tty', 'pgid', 'sid', 'innerPid', 'role', 'because'] as const),
  ...(['evidence', 'agent', 'source', 'confidence', 'escaped', 'redacted', 'orphan'] as const),
];
