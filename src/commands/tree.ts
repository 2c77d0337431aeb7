import type { Command } from 'commander';
import { foldForest } from '../annotate/fold.ts';
import { sumRows } from '../annotate/totals.ts';
import type { Context } from '../context.ts';
import { processFilter, processSort } from '../filter/process-query.ts';
import { buildForest, filterForest, flattenForest, pruneForest, sortForest, type TreeNode } from '../model/tree.ts';
import type { BlockSummary } from '../render/block-table.ts';
import { renderJson } from '../render/json.ts';
import type { ShownRow } from '../render/process-table.ts';
import { layOutTree, type TreeBlock } from '../render/process-tree.ts';
import { renderTree } from '../render/tree.ts';
import { readTold } from './shared/entries.ts';
import { examplesHelp } from './shared/help.ts';
import { openListing } from './shared/listing.ts';
import {
  addListingOptions,
  addQueryOptions,
  parseRowQuery,
  type RawListingOptions,
  type RawQueryOptions,
  type RowQuery,
} from './shared/listing-options.ts';
import { tellAboutBlocks } from './shared/notes.ts';
import { parseOutputForm, renderIdentity, renderListing } from './shared/output-form.ts';
import { rowFields } from './shared/row-fields.ts';
import { collectRows, readListeners } from './shared/shown-rows.ts';
import { summarize } from './shared/summaries.ts';
import { viewOf } from './shared/view.ts';

/** `agentmux tree`: agents with what they started below them. */
export function registerTree(program: Command, context: Context): void {
  const command = program
    .command('tree')
    .summary('show agents with what they started as a tree')
    .description(
      'Show the agents with what they started as a tree. Equal processes are folded into one line; a block that was started ' +
        'inside another hangs where it was started. What a filter asks for is shown with all that is above it.',
    );
  addListingOptions(command, 'the helpers of the agents too');
  addQueryOptions(command, {
    quiet: 'pid:starttime, what kill accepts, in the order of the tree',
    format: '{{.depth}} {{.command}}',
    filter: processFilter,
    sort: processSort,
  })
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action((options: TreeOptions) => showTree(context, options));
}

const EXAMPLES = [
  ['agentmux tree', 'all live blocks'],
  ['agentmux tree --block claude-k3f9', 'one block, and those started inside it'],
  ['agentmux tree --all', 'with MCP servers and other helpers of the agents'],
  ['agentmux tree --filter command=vite', 'only what has vite in its command, and what is above it'],
] as const;

type TreeOptions = RawListingOptions & RawQueryOptions;

async function showTree(context: Context, options: TreeOptions): Promise<void> {
  const { block, ports, verbose, redact } = options;
  const form = parseOutputForm(options, [...rowFields, 'depth', 'treeParentPid']);
  const query = parseRowQuery(options, processFilter, processSort);
  const listing = openListing(context, { block, scope: 'live', command: 'tree' });
  const cwd = form.type === 'json' || form.type === 'template';
  const told = form.type === 'quiet' && query.isPlain ? undefined : await readTold(context, listing.views);
  const listeners = ports ? readListeners(context, listing.views) : undefined;
  const rows = collectRows(context, listing.views, { all: true, listeners, cwd, redact, told });
  const shown = keepShown(
    buildForest(rows, (row) => row.role === 'root'),
    listing.views,
    options.all ?? false,
  );
  const forest = ask(shown, query);
  const summaries = listing.views.map(summarize);
  const text = await renderListing(form, () => placeRows(forest), {
    json: () => renderJson({ blocks: summaries, rows: placeRows(forest), warnings: listing.unreadable }),
    quiet: () =>
      flattenForest(forest)
        .map((node) => renderIdentity(node.item))
        .join(''),
    table: () => {
      tellAboutBlocks(context, listing, { verbose: verbose ?? false });
      const view = viewOf(context, { noTrunc: !options.trunc });
      const lines = layOutTree({
        blocks: summaries.map((summary) => addTotals(summary, rows)),
        nodes: foldByBlock(forest),
        roles: options.all ?? false,
        ports,
        unicode: view.unicode,
      });
      return renderTree(lines, view);
    },
  });
  context.stdout.write(text);
}

function ask(forest: readonly TreeNode<ShownRow>[], query: RowQuery<ShownRow>): TreeNode<ShownRow>[] {
  return query.isPlain ? [...forest] : sortForest(pruneForest(forest, query.matches), query.sort);
}

type Views = ReturnType<typeof openListing>['views'];

/** Roots and what they started; the agentmux-run of a block inside another stays too, since that block hangs on it. */
function keepShown(forest: readonly TreeNode<ShownRow>[], views: Views, all: boolean): TreeNode<ShownRow>[] {
  if (all) return [...forest];
  const wrappers = new Set(
    views.flatMap(({ record }) => record.runs.map(({ wrapper }) => `${wrapper.pid}:${wrapper.startTicks}`)),
  );
  return filterForest(
    forest,
    ({ role, pid, startTicks }) => role !== 'plumbing' || wrappers.has(`${pid}:${startTicks}`),
  );
}

/** Orphans of different blocks are no siblings. */
function foldByBlock(forest: readonly TreeNode<ShownRow>[]): ReturnType<typeof foldForest> {
  const ids = new Set(forest.map(({ item }) => item.blockId));
  return [...ids].flatMap((id) => foldForest(forest.filter(({ item }) => item.blockId === id)));
}

function addTotals(summary: BlockSummary, rows: readonly ShownRow[]): TreeBlock {
  const own = rows.filter((row) => row.blockId === summary.id);
  const ages = own.flatMap(({ ageMs }) => ageMs ?? []);
  const oldestAgeMs = ages.length === 0 ? undefined : Math.max(...ages);
  return { ...summary, privateBytes: sumRows(own).privateBytes, oldestAgeMs };
}

/** Flat, in the order of the tree: chains of processes can be deeper than readers of nested JSON stand. */
function placeRows(forest: readonly TreeNode<ShownRow>[]): object[] {
  const above = new Map<TreeNode<ShownRow>, { readonly pid: number; readonly depth: number }>();
  return flattenForest(forest).map((node) => {
    const depth = (above.get(node)?.depth ?? -1) + 1;
    for (const child of node.children) above.set(child, { pid: node.item.pid, depth });
    return { ...node.item, depth, treeParentPid: above.get(node)?.pid };
  });
}
