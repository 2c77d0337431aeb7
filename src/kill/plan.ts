/** Pure: which members a kill is about, and which it must leave alone. */
import { AgentmuxError } from '../errors.ts';
import { isConhost, processName } from '../filter/shells.ts';
import type { MemberView } from '../trackers/inspect.ts';

/**
 * The console hosts of Windows among the members, where this process is a member too, or one is kept. With its host a
 * console ends, and all that use it, us and what we would still report included; a host ends by itself with the last that
 * uses it.
 */
export function findConsoleHosts(
  members: readonly MemberView[],
  ownPid: number,
  kept?: { has(pid: number): boolean },
): ReadonlySet<number> {
  if (!members.some(({ pid }) => pid === ownPid || kept?.has(pid))) return new Set();
  const hosts = members.filter(({ exe, argv, stat }) => isConhost(processName({ exe, argv, comm: stat?.comm })));
  return new Set(hosts.map(({ pid }) => pid));
}

/** Who may be ended, and who left the enclosure and is only listed. */
export interface Selection {
  readonly selected: readonly MemberView[];
  readonly leftOut: readonly MemberView[];
  /** What its user wants to go on. */
  readonly kept: readonly MemberView[];
}

export interface BlockSelection {
  readonly startedOnly: boolean;
  readonly escaped: boolean;
  readonly spare: ReadonlySet<number>;
  /** Pids of what is kept, of the same look. */
  readonly kept?: { has(pid: number): boolean } | undefined;
}

/**
 * The members that ending the block is about. What carries the block's tag alone, outside the enclosure and below no
 * root, may be a desktop application or a tmux server that inherited it: left out unless asked for.
 */
export function selectBlock(members: readonly MemberView[], options: BlockSelection): Selection {
  const able = members.filter((member) => member.pid > 1 && !options.spare.has(member.pid));
  const isKept = (member: MemberView): boolean => options.kept?.has(member.pid) === true;
  const asked = options.startedOnly ? able.filter((member) => member.role === 'started') : able;
  const wanted = asked.filter((member) => !isKept(member));
  const isLeftOut = (member: MemberView): boolean => !options.escaped && member.escaped && member.source === 'tag';
  return {
    selected: wanted.filter((member) => !isLeftOut(member)),
    leftOut: wanted.filter(isLeftOut),
    kept: asked.filter(isKept),
  };
}

/**
 * The members at or below the given pids, parents before their children. A parent link counts only if the parent
 * started no later than its child: the pid of an older parent may have been given away.
 */
export function selectTree(members: readonly MemberView[], pids: ReadonlySet<number>): MemberView[] {
  const found = members.filter((member) => pids.has(member.pid));
  const seen = new Set(found.map((member) => member.pid));
  const childrenOf = groupByParent(members);
  for (let i = 0; i < found.length; i++) {
    const parent = found[i] as MemberView;
    for (const child of childrenOf.get(parent.pid) ?? []) {
      if (seen.has(child.pid) || startedBefore(child, parent)) continue;
      seen.add(child.pid);
      found.push(child);
    }
  }
  return found;
}

/**
 * What the agent started in the sessions of the given members (one tool call, as a rule) and that is none of them: what
 * still lives of it when they are gone.
 */
export function selectSameSession(members: readonly MemberView[], ended: readonly MemberView[]): MemberView[] {
  const pids = new Set(ended.map((member) => member.pid));
  const sessions = new Set(ended.map((member) => member.stat?.sid).filter((sid) => sid !== undefined && sid > 0));
  return members.filter(
    (member) => member.role === 'started' && !pids.has(member.pid) && sessions.has(member.stat?.sid),
  );
}

/** Who asks, as far as it limits what may be signalled. */
export interface Killer {
  readonly pid: number;
  /** Our parents up to the first process: what runs this very command. */
  readonly ancestors: ReadonlySet<number>;
  /** Live `agentmux-run` processes by pid, with the ids of their blocks. */
  readonly wrappers: ReadonlyMap<number, string>;
}

/** The reason why a pid must not be signalled, or undefined if nothing speaks against it. */
export function findRefusal(pid: number, killer: Killer): AgentmuxError | undefined {
  if (pid <= 1) return refuse(pid, 'is no process of an agent');
  if (pid === killer.pid) return refuse(pid, 'is this agentmux itself');
  const block = killer.wrappers.get(pid);
  if (block !== undefined) {
    return refuse(pid, `is agentmux-run of block "${block}"`, `to end the block: agentmux kill-tree --block ${block}`);
  }
  if (killer.ancestors.has(pid)) {
    return refuse(pid, 'runs this very command', 'to end a whole block: agentmux kill-tree --block ID');
  }
  return undefined;
}

function groupByParent(members: readonly MemberView[]): Map<number, MemberView[]> {
  const groups = new Map<number, MemberView[]>();
  for (const member of members) {
    if (member.stat === undefined) continue;
    const group = groups.get(member.stat.ppid);
    if (group === undefined) groups.set(member.stat.ppid, [member]);
    else group.push(member);
  }
  return groups;
}

function startedBefore(child: MemberView, parent: MemberView): boolean {
  if (child.startTicks === undefined || parent.startTicks === undefined) return false;
  return child.startTicks < parent.startTicks;
}

function refuse(pid: number, why: string, hint?: string): AgentmuxError {
  return new AgentmuxError('refused', `pid ${pid} ${why}: not signalled`, { code: 'protected', hint });
}
