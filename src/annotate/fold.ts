import type { ProcessRow } from '../model/row.ts';
import { compareStart, flattenForest, type TreeNode } from '../model/tree.ts';
import { sum } from './totals.ts';

/** Equal processes shown as one. */
export interface FoldedRow<Row extends ProcessRow = ProcessRow> {
  /** The oldest of them. */
  readonly row: Row;
  /** All of them, oldest first. */
  readonly rows: readonly Row[];
  /** How many, at least 1. */
  readonly count: number;
  /** Pids of all, oldest first. */
  readonly pids: readonly number[];
  /** Undefined if it is unknown of all. */
  readonly oldestAgeMs: number | undefined;
  readonly privateBytes: number | undefined;
  readonly cpuMs: number | undefined;
}

/** A node of a folded tree. */
export interface FoldedNode<Row extends ProcessRow = ProcessRow> extends FoldedRow<Row> {
  readonly children: readonly FoldedNode<Row>[];
  readonly reparented: boolean;
}

/**
 * Folds siblings that have the same command and role and no listening socket, with the same below them: a shell and the
 * one command that it waits for are as equal to another such pair as two commands are. What stands at the top with a parent
 * outside counts as siblings: orphans of one tree got different new parents. Rows of different `kindOf` stay apart.
 */
export function foldForest<Row extends ProcessRow>(
  forest: readonly TreeNode<Row>[],
  kindOf: (row: Row) => string = () => '',
): FoldedNode<Row>[] {
  const keys = findKeys(forest, kindOf);
  const levels: { from: readonly TreeNode<Row>[]; into: FoldedNode<Row>[] }[] = [{ from: forest, into: [] }];
  const top = levels[0]?.into ?? [];
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    for (const group of groupNodes(level.from, keys)) {
      const children: FoldedNode<Row>[] = [];
      const first = group[0];
      if (first === undefined) continue;
      level.into.push({ ...foldRows(group.map((node) => node.item)), children, reparented: first.reparented });
      levels.push({ from: group.flatMap((node) => node.children), into: children });
    }
  }
  return top;
}

function groupNodes<Row extends ProcessRow>(
  siblings: readonly TreeNode<Row>[],
  keys: ReadonlyMap<TreeNode<Row>, string>,
): TreeNode<Row>[][] {
  const groups = new Map<string, TreeNode<Row>[]>();
  for (const node of siblings) {
    const key = keys.get(node) ?? '';
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [node]);
    } else {
      group.push(node);
    }
  }
  return [...groups.values()];
}

/** What is the same of equal nodes, by node; from the leaves up. */
function findKeys<Row extends ProcessRow>(
  forest: readonly TreeNode<Row>[],
  kindOf: (row: Row) => string,
): ReadonlyMap<TreeNode<Row>, string> {
  const keys = new Map<TreeNode<Row>, string>();
  for (const node of flattenForest(forest).reverse()) {
    const below = node.children.map((child) => keys.get(child) ?? '').sort();
    keys.set(node, `${kindOf(node.item)} ${foldKey(node, below)}`);
  }
  return keys;
}

function foldKey({ item, reparented }: TreeNode<ProcessRow>, below: readonly string[]): string {
  const { pid, command, role, escaped, agent, startTicks } = item;
  const holdsSocket = (item.listeners?.length ?? 0) + item.sharedListeners.length > 0;
  const isLarge = below.length > 0 && below.join('').length > LARGEST_KEY;
  const isAlone = isLarge || command === undefined || holdsSocket || role === 'root';
  return JSON.stringify(isAlone ? [pid, startTicks] : [command, role, escaped, agent, reparented, ...below]);
}

/** Trees that are told apart by more than this are no small copies of each other. */
const LARGEST_KEY = 4000;

function foldRows<Row extends ProcessRow>(rows: readonly Row[]): FoldedRow<Row> {
  const [row, ...others] = [...rows].sort(compareStart);
  if (row === undefined) {
    throw new Error('internal: nothing to fold');
  }
  const all = [row, ...others];
  const ages = all.flatMap(({ ageMs }) => ageMs ?? []);
  return {
    row,
    rows: all,
    count: all.length,
    pids: all.map(({ pid }) => pid),
    oldestAgeMs: ages.length === 0 ? undefined : Math.max(...ages),
    privateBytes: sum(all.map(({ privateBytes }) => privateBytes)),
    cpuMs: sum(all.map(({ cpuMs }) => cpuMs)),
  };
}
