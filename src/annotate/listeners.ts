import type { Listener } from '../model/process.ts';
import type { SharedListener } from '../model/row.ts';
import { buildForest, flattenForest, type TreeItem } from '../model/tree.ts';

/** Listening sockets of one process. */
export interface HeldListeners {
  /** Undefined if they are unknown. */
  readonly owned: readonly Listener[] | undefined;
  readonly shared: readonly SharedListener[];
}

/** Listeners as the platform read them. */
export interface ReadListeners {
  readonly byPid: ReadonlyMap<number, readonly Listener[]>;
  readonly denied: ReadonlySet<number>;
}

/**
 * Gives each listening socket one owner: of the processes that hold it, the one nearest to the top, then the oldest. A
 * child that inherited it, and workers that share an address, hold it as `shared`, so that one server is shown as one.
 */
export function assignListeners(
  holders: readonly TreeItem[],
  read: ReadListeners | undefined,
): Map<number, HeldListeners> {
  const result = new Map<number, HeldListeners>();
  if (read === undefined) {
    return result;
  }
  const owners = findOwners(holders, read);
  for (const { pid } of holders) {
    const held = distinct(read.byPid.get(pid) ?? []);
    const isUnknown = read.denied.has(pid) && held.length === 0;
    const shared = held.flatMap((listener) => {
      const ownerPid = owners.get(keyOf(listener));
      return ownerPid === undefined || ownerPid === pid ? [] : [{ ...listener, ownerPid }];
    });
    const owned = held.filter((listener) => owners.get(keyOf(listener)) === pid);
    result.set(pid, { owned: isUnknown ? undefined : owned, shared });
  }
  return result;
}

function findOwners(holders: readonly TreeItem[], read: ReadListeners): Map<string, number> {
  const owners = new Map<string, number>();
  for (const { pid } of topDown(holders)) {
    for (const listener of read.byPid.get(pid) ?? []) {
      const key = keyOf(listener);
      if (!owners.has(key)) owners.set(key, pid);
    }
  }
  return owners;
}

/** The processes level by level, within a level by age. */
function topDown(holders: readonly TreeItem[]): TreeItem[] {
  const depths = new Map<TreeItem, number>();
  const nodes = flattenForest(buildForest(holders));
  for (const node of nodes) {
    const depth = depths.get(node.item) ?? 0;
    depths.set(node.item, depth);
    for (const child of node.children) depths.set(child.item, depth + 1);
  }
  // The sort is stable, and nodes come oldest first.
  return nodes.map((node) => node.item).sort((a, b) => (depths.get(a) ?? 0) - (depths.get(b) ?? 0));
}

function distinct(listeners: readonly Listener[]): Listener[] {
  return [...new Map(listeners.map((listener) => [keyOf(listener), listener])).values()].sort(
    (a, b) => a.port - b.port || (keyOf(a) < keyOf(b) ? -1 : 1),
  );
}

function keyOf(listener: Listener): string {
  return `${listener.protocol} ${listener.address} ${listener.port}`;
}
