import type { MemberSource } from '../model/block.ts';
import type { HostIdentity, Identity } from '../model/identity.ts';
import { isGone, type ProcessStat } from '../model/process.ts';

/** A process seen as a member at some time (see Store.recorded). */
export interface SeenProcess {
  readonly pid: number;
  readonly startTicks: number;
  readonly bootId: string;
}

/** The wrapper of a run. */
export interface WrapperIdentity extends Identity {
  /**
   * Start of the run's root: older children were there before the wrapper started anything, such as a `tee` of the shell
   * that became the wrapper by exec, and are none of the block's. Undefined: unknown, all of them count.
   */
  readonly childrenSince?: number;
}

/** What a scan knows of a block, and the process table that it is looked up in. */
export interface MembersQuery {
  /** All visible processes of one moment. */
  readonly table: readonly ProcessStat[];
  readonly host: HostIdentity;
  /** Roots of all runs. Those of another boot or pid namespace are ignored. */
  readonly roots: readonly Identity[];
  /** Wrappers of all runs: never members themselves; what descends from a live one's children since its root is. */
  readonly wrappers: readonly WrapperIdentity[];
  readonly recorded: readonly SeenProcess[];
  /**
   * Pids of members that nobody else can have had since, each with the start of its member: what names one as its parent is
   * its child, also when it has ended. None if left out.
   */
  readonly keptPids?: ReadonlyMap<number, number>;
  /** Pids in the enclosure, if there is one: not returned, but what descends from them is. */
  readonly enclosed: ReadonlySet<number>;
  /** Nothing that started earlier is a member, clock ticks since boot. */
  readonly sinceTicks: number;
  /**
   * True where orphans do not become children of the wrapper: then a process is a member also by the process group or
   * session of one that is or was a member.
   */
  readonly countsGroups?: boolean;
  /** True if the environment carries the tag of the block or of a child block. Asked only where nothing else tells. */
  isTagged(stat: ProcessStat): boolean;
}

export interface FoundMember {
  readonly stat: ProcessStat;
  /** `tag` only if nothing stronger tells: the process or one above it carries the tag, and no root is above it. */
  readonly source: Exclude<MemberSource, 'enclosure'>;
}

/**
 * Members of a block by root, record, descent and tag. Never pid 1, a wrapper of the block, an ancestor of a live
 * wrapper, a zombie, or what is older than the block.
 *
 * Orphans of the tree are children of the wrapper while it lives, since it is a child subreaper (prctl(2)
 * PR_SET_CHILD_SUBREAPER); so a double fork with a cleared environment is still found by descent. On Windows nobody adopts
 * them, and they go on naming the parent that made them: that tells whose they are as long as its pid is kept.
 */
export function findMembers(query: MembersQuery): FoundMember[] {
  // No run of the block was here since the boot.
  if (query.sinceTicks === Number.POSITIVE_INFINITY) return [];
  const tree = treeOf(query);
  const barred = findBarred(query, tree.byPid);
  const found = new Map<number, FoundMember>();

  const isCandidate = (stat: ProcessStat) =>
    stat.pid > 1 && stat.startTicks >= query.sinceTicks && !barred.has(stat.pid) && !isGone(stat);
  const add = (stat: ProcessStat | undefined, source: FoundMember['source']) => {
    if (!stat || found.has(stat.pid) || query.enclosed.has(stat.pid) || !isCandidate(stat)) return;
    found.set(stat.pid, { stat, source });
  };
  const addDescendants = (start: Iterable<number>, source: FoundMember['source']) => {
    const queue = [...start];
    const visited = new Set(queue);
    for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
      for (const child of tree.childrenOf.get(pid) ?? []) {
        if (visited.has(child.pid) || barred.has(child.pid)) continue;
        visited.add(child.pid);
        add(child, source);
        queue.push(child.pid);
      }
    }
  };

  for (const root of query.roots) add(findIdentity(tree.byPid, root, query.host), 'root');
  for (const seen of query.recorded) {
    const stat = tree.byPid.get(seen.pid);
    if (stat?.startTicks === seen.startTicks && seen.bootId === query.host.bootId) add(stat, 'recorded');
  }
  const liveWrappers = query.wrappers.filter((wrapper) => findIdentity(tree.byPid, wrapper, query.host));
  // Where nobody adopts orphans, a wrapper has no children but the root, older ones and what reads processes for it.
  const adopters = query.countsGroups ? [] : liveWrappers;
  const adopted = adopters.flatMap(({ pid, childrenSince = 0 }) =>
    (tree.childrenOf.get(pid) ?? []).filter((child) => child.startTicks >= childrenSince && !barred.has(child.pid)),
  );
  for (const child of adopted) add(child, 'descent');
  const ended = [...(query.keptPids?.keys() ?? [])].filter((pid) => !tree.byPid.has(pid));
  addDescendants([...found.keys(), ...query.enclosed, ...adopted.map((child) => child.pid), ...ended], 'descent');

  for (const stat of query.table) {
    if (found.has(stat.pid) || query.enclosed.has(stat.pid) || !isCandidate(stat) || !query.isTagged(stat)) continue;
    add(stat, 'tag');
    addDescendants([stat.pid], 'tag');
  }
  if (query.countsGroups) {
    for (const stat of findGroupMembers(query, found, tree.byPid, barred)) {
      if (!found.has(stat.pid)) add(stat, 'group');
      if (found.has(stat.pid)) addDescendants([stat.pid], 'group');
    }
  }
  return [...found.values()];
}

/**
 * Processes in a group or session that a member leads or led: only a member could have put them there (setpgid(2),
 * setsid(2)), and the number is not given away while one is in it. A leader that lives and is no member is another one.
 */
function findGroupMembers(
  query: MembersQuery,
  found: ReadonlyMap<number, FoundMember>,
  byPid: ReadonlyMap<number, ProcessStat>,
  barred: ReadonlySet<number>,
): ProcessStat[] {
  const starts = new Map<number, number>();
  for (const { pid, startTicks, bootId } of [...query.roots, ...query.recorded]) {
    // One that has ended and was not waited for yet is still in the table.
    const isOther = byPid.has(pid) && byPid.get(pid)?.startTicks !== startTicks;
    if (bootId === query.host.bootId && !isOther) starts.set(pid, startTicks);
  }
  for (const { stat, source } of found.values()) if (source !== 'tag') starts.set(stat.pid, stat.startTicks);
  const isLed = (number: number, stat: ProcessStat) =>
    number > 1 && !barred.has(number) && (starts.get(number) ?? Number.POSITIVE_INFINITY) <= stat.startTicks;
  return query.table.filter((stat) => isLed(stat.pgid, stat) || isLed(stat.sid, stat));
}

/** How many zombies each of the given processes has not waited for, by its pid. */
export function countZombies(table: readonly ProcessStat[], members: ReadonlySet<number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const stat of table) {
    if (isGone(stat) && members.has(stat.ppid)) counts.set(stat.ppid, (counts.get(stat.ppid) ?? 0) + 1);
  }
  return counts;
}

interface ProcessTree {
  readonly byPid: ReadonlyMap<number, ProcessStat>;
  readonly childrenOf: ReadonlyMap<number, readonly ProcessStat[]>;
}

/** Trees of the tables that are looked at, since one look serves all blocks. */
const trees = new WeakMap<readonly ProcessStat[], ProcessTree>();

function treeOf({ table, keptPids }: MembersQuery): ProcessTree {
  if (keptPids !== undefined) return buildTree(table, keptPids);
  const tree = trees.get(table) ?? buildTree(table);
  trees.set(table, tree);
  return tree;
}

/** A parent counts only if it started no later than its child: else the pid has been used again. */
function buildTree(table: readonly ProcessStat[], keptPids: ReadonlyMap<number, number> = new Map()): ProcessTree {
  const byPid = new Map(table.map((stat) => [stat.pid, stat]));
  const childrenOf = new Map<number, ProcessStat[]>();
  for (const stat of table) {
    const parentStart = byPid.get(stat.ppid)?.startTicks ?? keptPids.get(stat.ppid);
    if (parentStart === undefined || parentStart > stat.startTicks) continue;
    const siblings = childrenOf.get(stat.ppid);
    if (siblings) siblings.push(stat);
    else childrenOf.set(stat.ppid, [stat]);
  }
  return { byPid, childrenOf };
}

function findBarred(query: MembersQuery, byPid: ReadonlyMap<number, ProcessStat>): Set<number> {
  const barred = new Set<number>();
  for (const wrapper of query.wrappers) {
    let stat = findIdentity(byPid, wrapper, query.host);
    while (stat && !barred.has(stat.pid)) {
      barred.add(stat.pid);
      stat = byPid.get(stat.ppid);
    }
  }
  return barred;
}

function findIdentity(
  byPid: ReadonlyMap<number, ProcessStat>,
  identity: Identity,
  host: HostIdentity,
): ProcessStat | undefined {
  if (identity.bootId !== host.bootId || identity.pidNamespace !== host.pidNamespace) return undefined;
  const stat = byPid.get(identity.pid);
  return stat?.startTicks === identity.startTicks ? stat : undefined;
}
