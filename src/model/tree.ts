/** What places a process in a tree. */
export interface TreeItem {
  readonly pid: number;
  readonly parentPid: number | undefined;
  /** Raw start time; undefined if unknown. */
  readonly startTicks: number | undefined;
}

/** A process with those below it. */
export interface TreeNode<T> {
  readonly item: T;
  readonly children: readonly TreeNode<T>[];
  /** True at the top for a process whose parent is outside the set: it was handed to another parent. */
  readonly reparented: boolean;
}

/**
 * The forest of a set of processes, each exactly once, siblings by start time, then pid. A parent counts only if it is
 * in the set and started no later than its child, where both are known. Where parents form a circle, its oldest is on
 * top. Tops for which `isTop` holds (the roots of a block) have their rightful parent outside and are not `reparented`.
 */
export function buildForest<T extends TreeItem>(
  items: readonly T[],
  isTop: (item: T) => boolean = () => false,
): TreeNode<T>[] {
  const sorted = [...items].sort(compareStart);
  const byPid = new Map(sorted.map((item) => [item.pid, item]));
  const children = new Map<T, T[]>();
  const tops: T[] = [];
  for (const item of byPid.values()) {
    const parent = findParent(item, byPid);
    if (parent === undefined) {
      tops.push(item);
    } else {
      children.set(parent, [...(children.get(parent) ?? []), item]);
    }
  }
  const reached = new Set<T>();
  const nodes = tops.map((top) => grow(top, children, reached, isOrphan(top, byPid) && !isTop(top)));
  // What no top reaches are circles and what hangs on them.
  for (const item of byPid.values()) {
    if (!reached.has(item)) {
      nodes.push(grow(item, children, reached, false));
    }
  }
  return nodes.sort((a, b) => compareStart(a.item, b.item));
}

/** The forest without the nodes that fail `keep`; what was below such a node moves up to where it stood. */
export function filterForest<T extends TreeItem>(
  forest: readonly TreeNode<T>[],
  keep: (item: T) => boolean,
): TreeNode<T>[] {
  const kept = new Map<TreeNode<T>, TreeNode<T>[]>();
  for (const node of flattenForest(forest).reverse()) {
    const children = node.children.flatMap((child) => kept.get(child) ?? []);
    children.sort((a, b) => compareStart(a.item, b.item));
    kept.set(node, keep(node.item) ? [{ ...node, children }] : children);
  }
  return forest.flatMap((node) => kept.get(node) ?? []).sort((a, b) => compareStart(a.item, b.item));
}

/** The nodes for which `isWanted` holds with all that is above them, so that it is seen where they hang. */
export function pruneForest<T>(forest: readonly TreeNode<T>[], isWanted: (item: T) => boolean): TreeNode<T>[] {
  const kept = new Map<TreeNode<T>, TreeNode<T>>();
  for (const node of flattenForest(forest).reverse()) {
    const children = node.children.flatMap((child) => kept.get(child) ?? []);
    if (children.length > 0 || isWanted(node.item)) kept.set(node, { ...node, children });
  }
  return forest.flatMap((node) => kept.get(node) ?? []);
}

/** The forest with siblings in the order that `sort` gives them. */
export function sortForest<T>(forest: readonly TreeNode<T>[], sort: (items: readonly T[]) => T[]): TreeNode<T>[] {
  const sorted = new Map<TreeNode<T>, TreeNode<T>>();
  const order = (nodes: readonly TreeNode<T>[]): TreeNode<T>[] => {
    const byItem = new Map(nodes.map((node) => [node.item, sorted.get(node) ?? node]));
    return sort([...byItem.keys()]).flatMap((item) => byItem.get(item) ?? []);
  };
  for (const node of flattenForest(forest).reverse()) sorted.set(node, { ...node, children: order(node.children) });
  return order(forest);
}

/** All nodes, each before what is below it, in the order in which a tree is shown. */
export function flattenForest<T>(forest: readonly TreeNode<T>[]): TreeNode<T>[] {
  const nodes: TreeNode<T>[] = [];
  const stack = [...forest].reverse();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    nodes.push(node);
    for (let index = node.children.length - 1; index >= 0; index -= 1) {
      const child = node.children[index];
      if (child !== undefined) stack.push(child);
    }
  }
  return nodes;
}

/** Order of siblings: oldest first, unknown starts last, then by pid. */
export function compareStart(a: TreeItem, b: TreeItem): number {
  const left = a.startTicks ?? Number.POSITIVE_INFINITY;
  const right = b.startTicks ?? Number.POSITIVE_INFINITY;
  return left === right ? a.pid - b.pid : left - right;
}

function findParent<T extends TreeItem>(item: T, byPid: ReadonlyMap<number, T>): T | undefined {
  const parent = item.parentPid === undefined ? undefined : byPid.get(item.parentPid);
  if (parent === undefined || parent === item) {
    return undefined;
  }
  const bothKnown = parent.startTicks !== undefined && item.startTicks !== undefined;
  return bothKnown && parent.startTicks > item.startTicks ? undefined : parent;
}

/** True if its parent is known not to be in the set, be it that the pid belongs to a younger process now. */
function isOrphan<T extends TreeItem>(item: T, byPid: ReadonlyMap<number, T>): boolean {
  return item.parentPid !== undefined && item.parentPid !== item.pid && findParent(item, byPid) === undefined;
}

interface GrowingNode<T> {
  readonly item: T;
  readonly children: GrowingNode<T>[];
  readonly reparented: boolean;
}

/** Grows a tree without recursion, since chains of processes can be deeper than the stack. */
function grow<T>(top: T, children: ReadonlyMap<T, readonly T[]>, reached: Set<T>, reparented: boolean): TreeNode<T> {
  const root: GrowingNode<T> = { item: top, children: [], reparented };
  reached.add(top);
  const stack = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    for (const child of children.get(node.item) ?? []) {
      if (!reached.has(child)) {
        reached.add(child);
        const below = { item: child, children: [], reparented: false };
        node.children.push(below);
        stack.push(below);
      }
    }
  }
  return root;
}
