import { isConhost, isShell } from './shells.ts';

/** A live member, as far as the rule looks at it. Members that have ended (zombies) are left out by the caller. */
export interface RuleMember {
  readonly pid: number;
  /** Undefined if it cannot be seen. */
  readonly ppid: number | undefined;
  /** Raw start time, compared only; undefined if it cannot be seen. */
  readonly startTicks: number | undefined;
  /** As processName gives it. */
  readonly name: string;
}

/** A process that ever was a root of the block, alive or not. */
export interface RuleRoot {
  readonly pid: number;
  readonly startTicks: number | undefined;
}

/**
 * The agent-started rule. Every root and every conhost is dropped. A process is kept if the walk up its parents inside
 * the member set meets a shell (itself included) before it meets a root that is alive and no shell. A parent that is
 * missing, or a root that has exited or is a shell itself, means keep; a cycle means drop.
 *
 * Decides what is listed and counted, never what is killed. Returns the pids that are kept; linear in the members.
 */
export function findAgentStarted(members: readonly RuleMember[], roots: readonly RuleRoot[]): Set<number> {
  const byPid = indexByPid(members);
  const isRoot = rootTest(roots);
  const cyclic = findCyclic(byPid, isRoot);
  const verdicts = new Map<number, boolean>();
  for (const member of byPid.values()) {
    judge(member, byPid, isRoot, cyclic, verdicts);
  }
  const kept = new Set<number>();
  for (const member of byPid.values()) {
    if (verdicts.get(member.pid) && !isRoot(member) && !isConhost(member.name)) {
      kept.add(member.pid);
    }
  }
  return kept;
}

/** Members by pid; of two with one pid (a snapshot torn by reuse) the one that started last is the live one. */
export function indexByPid<T extends RuleRoot>(members: readonly T[]): Map<number, T> {
  const byPid = new Map<number, T>();
  for (const member of members) {
    const other = byPid.get(member.pid);
    if (other === undefined || (member.startTicks ?? -1) > (other.startTicks ?? -1)) {
      byPid.set(member.pid, member);
    }
  }
  return byPid;
}

/** Tells whether a member is one of the roots: the same pid and, where both are known, the same start. */
export function rootTest(roots: readonly RuleRoot[]): (member: RuleRoot) => boolean {
  const starts = new Map<number, (number | undefined)[]>();
  for (const root of roots) {
    starts.set(root.pid, [...(starts.get(root.pid) ?? []), root.startTicks]);
  }
  return (member) =>
    starts
      .get(member.pid)
      ?.some((ticks) => ticks === undefined || member.startTicks === undefined || ticks === member.startTicks) ?? false;
}

/** Parent inside the set; undefined if it is missing or started later than its child, so that it took a reused pid. */
export function parentOf<T extends RuleMember>(member: T, byPid: ReadonlyMap<number, T>): T | undefined {
  const parent = member.ppid === undefined ? undefined : byPid.get(member.ppid);
  if (parent === undefined) {
    return undefined;
  }
  const bothKnown = parent.startTicks !== undefined && member.startTicks !== undefined;
  return bothKnown && parent.startTicks > member.startTicks ? undefined : parent;
}

/**
 * Members whose parents lead neither out of the set nor to a root. Asked of the bare parent pids, before start times:
 * processes that are one another's ancestors tell nothing, whichever of their links one would cut.
 */
export function findCyclic(
  byPid: ReadonlyMap<number, RuleMember>,
  isRoot: (member: RuleMember) => boolean,
): Set<number> {
  const cyclic = new Map<number, boolean>();
  for (const start of byPid.values()) {
    const path: number[] = [];
    const onPath = new Set<number>();
    let current: RuleMember | undefined = start;
    while (current !== undefined && !isRoot(current) && !cyclic.has(current.pid) && !onPath.has(current.pid)) {
      path.push(current.pid);
      onPath.add(current.pid);
      current = current.ppid === undefined ? undefined : byPid.get(current.ppid);
    }
    const verdict = current !== undefined && (onPath.has(current.pid) || cyclic.get(current.pid) === true);
    for (const pid of path) {
      cyclic.set(pid, verdict);
    }
  }
  return new Set([...cyclic].filter(([, verdict]) => verdict).map(([pid]) => pid));
}

/** Walks up until something decides, then gives that verdict to all that were passed. */
function judge(
  start: RuleMember,
  byPid: ReadonlyMap<number, RuleMember>,
  isRoot: (member: RuleMember) => boolean,
  cyclic: ReadonlySet<number>,
  verdicts: Map<number, boolean>,
): void {
  const path: number[] = [];
  let current: RuleMember | undefined = start;
  let verdict: boolean | undefined;
  while (verdict === undefined) {
    verdict = current === undefined ? true : decide(current, isRoot, cyclic, verdicts);
    if (verdict === undefined && current !== undefined) {
      path.push(current.pid);
      // Unreachable without cycles, which are out by now; the bound keeps a fault here from hanging a command.
      current = path.length > byPid.size ? undefined : parentOf(current, byPid);
    } else if (current !== undefined) {
      path.push(current.pid);
    }
  }
  for (const pid of path) {
    verdicts.set(pid, verdict);
  }
}

function decide(
  member: RuleMember,
  isRoot: (member: RuleMember) => boolean,
  cyclic: ReadonlySet<number>,
  verdicts: ReadonlyMap<number, boolean>,
): boolean | undefined {
  if (cyclic.has(member.pid)) {
    return false;
  }
  if (isShell(member.name)) {
    return true;
  }
  return isRoot(member) ? false : verdicts.get(member.pid);
}
