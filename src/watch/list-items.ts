import { type FoldedNode, foldForest } from '../annotate/fold.ts';
import { buildForest, filterForest, flattenForest, type TreeNode } from '../model/tree.ts';
import type { ListItem, WatchEntry, WatchRow } from '../render/screen-types.ts';
import { parseListFilter } from './list-filter.ts';
import { compareRows, type SortName } from './list-sort.ts';
import { rowKey } from './observation.ts';

/** What the list is made of, and how. */
export interface ListRequest {
  readonly rows: readonly WatchRow[];
  readonly entries: readonly WatchEntry[];
  readonly view: 'entries' | 'tree' | 'flat';
  readonly all: boolean;
  readonly sort: SortName;
  readonly filter: string;
  /** Keys of lines that are not as they are at first: trees folded, groups of equal processes unfolded. */
  readonly folded: ReadonlySet<string>;
  readonly unfolded: ReadonlySet<string>;
  readonly unicode: boolean;
}

/** The lines of the list. */
export function listItems(request: ListRequest): ListItem[] {
  switch (request.view) {
    case 'entries':
      return entryItems(request);
    case 'flat':
      return flatItems(request);
    case 'tree':
      return treeItems(request);
  }
}

function entryItems({ entries, filter }: ListRequest): ListItem[] {
  const matches = parseListFilter(filter);
  const shown = entries.filter((entry) => matches === undefined || matches.entry(entry));
  return shown.map((entry) => ({ type: 'entry', key: entry.id, entry }));
}

function flatItems({ rows, all, sort, filter }: ListRequest): ListItem[] {
  const matches = parseListFilter(filter);
  return rows
    .filter((row) => (all || row.role !== 'plumbing') && (matches === undefined || matches.row(row)))
    .sort(compareRows(sort))
    .map((row) => ({ type: 'process', key: rowKey(row), branch: '', row, rows: [row], hidden: 0, isMatch: true }));
}

function treeItems(request: ListRequest): ListItem[] {
  const whole = buildForest(request.rows, ({ role }) => role === 'root');
  const shown = request.all ? whole : filterForest(whole, ({ role }) => role !== 'plumbing');
  // What has gone is not equal to what lives.
  const kindOf = (row: WatchRow): string => (row.goneAtMs === undefined ? '' : 'gone');
  return placeNodes(foldForest(keepMatching(shown, request.filter), kindOf), request);
}

/** Nodes that match, with those above them: a match without its place would tell little. */
function keepMatching(forest: readonly TreeNode<WatchRow>[], filter: string): readonly TreeNode<WatchRow>[] {
  const matches = parseListFilter(filter);
  if (matches === undefined) return forest;
  const kept = new Map<TreeNode<WatchRow>, TreeNode<WatchRow>>();
  for (const node of flattenForest(forest).reverse()) {
    const children = node.children.flatMap((child) => kept.get(child) ?? []);
    if (children.length > 0 || matches.row(node.item)) kept.set(node, { ...node, children });
  }
  return forest.flatMap((node) => kept.get(node) ?? []);
}

type Node = FoldedNode<WatchRow>;

interface Pending {
  readonly node: Node;
  readonly branch: string;
  readonly below: string;
}

function placeNodes(tops: readonly Node[], request: ListRequest): ListItem[] {
  const { folded, unfolded, sort } = request;
  const marks = request.unicode ? UNICODE : ASCII;
  const matches = parseListFilter(request.filter);
  const compare = compareRows(sort);
  const sorted = (nodes: readonly Node[]): Node[] =>
    nodes.flatMap((node) => split(node, unfolded)).sort((a, b) => compare(a.row, b.row));
  const items: ListItem[] = [];
  const stack = sorted(tops)
    .map((node): Pending => ({ node, branch: '', below: '' }))
    .reverse();
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, branch, below } = next;
    const key = keyOf(node);
    const isFolded = node.children.length > 0 && folded.has(key);
    const hidden = isFolded ? countBelow(node) : 0;
    items.push({
      type: 'process',
      key,
      branch: isFolded ? foldMark(branch, marks) : branch,
      row: node.row,
      rows: node.rows,
      hidden,
      isMatch: matches === undefined || matches.row(node.row),
    });
    if (isFolded) continue;
    const indent = below.length > DEEPEST ? below.slice(0, DEEPEST) : below;
    const children = sorted(node.children);
    children
      .map((child, index): Pending => {
        const isLast = index === children.length - 1;
        return {
          node: child,
          branch: indent + (isLast ? marks.last : marks.middle),
          below: indent + (isLast ? marks.blank : marks.line),
        };
      })
      .reverse()
      .forEach((child) => void stack.push(child));
  }
  return items;
}

/** A group of equal processes that was unfolded is a line each. */
function split(node: Node, unfolded: ReadonlySet<string>): Node[] {
  if (node.rows.length === 1 || !unfolded.has(keyOf(node))) return [node];
  return node.rows.map((row) => ({
    ...node,
    row,
    rows: [row],
    count: 1,
    pids: [row.pid],
    children: below([row], node),
  }));
}

/** Of the folded nodes below a line, what is below these of its processes. */
function below(parents: readonly WatchRow[], node: Node): Node[] {
  const pids = new Set(parents.map(({ pid }) => pid));
  return node.children.flatMap((child): Node[] => {
    const rows = child.rows.filter(({ parentPid }) => parentPid !== undefined && pids.has(parentPid));
    const [row] = rows;
    if (row === undefined) return [];
    return [
      { ...child, row, rows, count: rows.length, pids: rows.map(({ pid }) => pid), children: below(rows, child) },
    ];
  });
}

/** Of a group the oldest names it. */
function keyOf({ row }: Node): string {
  return rowKey(row);
}

function countBelow(node: Node): number {
  let count = 0;
  const stack = [...node.children];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    count += next.rows.length;
    stack.push(...next.children);
  }
  return count;
}

function foldMark(branch: string, marks: typeof ASCII): string {
  return branch === '' ? `${marks.folded} ` : `${branch.slice(0, -2)}${marks.folded} `;
}

const DEEPEST = 60;
const UNICODE = { middle: '├─ ', last: '└─ ', line: '│  ', blank: '   ', folded: '▸' };
const ASCII = { middle: '|- ', last: '`- ', line: '|  ', blank: '   ', folded: '+' };
