import type { Role } from '../model/block.ts';
import {
  findAgentStarted,
  findCyclic,
  indexByPid,
  parentOf,
  type RuleMember,
  type RuleRoot,
  rootTest,
} from './agent-started.ts';
import { explainRule } from './explain-rule.ts';
import { isConhost } from './shells.ts';

/** A live member with what the evidence needs; src/agents says what its profile is. */
export interface ClassifyMember extends RuleMember {
  /** Session id; undefined if it cannot be seen or the system has none. */
  readonly sid: number | undefined;
  /** Profile id if the process is an agent CLI. */
  readonly agent: string | undefined;
  /** True for a daemon of that agent. */
  readonly daemon: boolean;
}

/** A root, alive or not. */
export interface ClassifyRoot extends RuleRoot {
  readonly agent: string | undefined;
  /** True if its agent gives each tool call a session of its own and keeps its plumbing in its own session. */
  readonly toolSessions: boolean;
  /** False for one that was found below a launcher. */
  readonly recorded: boolean;
}

export interface ClassifyInput {
  readonly members: readonly ClassifyMember[];
  readonly roots: readonly ClassifyRoot[];
  /** Pids of launchers between a recorded root and the agent. */
  readonly launchers: ReadonlySet<number>;
}

/** What a member is to its block, and why, in a few words for people. */
export interface Classification {
  readonly role: Role;
  readonly because: string;
}

/**
 * Roles of all members. Before the agent-started rule comes what the agent itself tells: below a live root whose tool
 * calls have sessions, the direct child decides by its session for all that is below it. The rule decides the rest.
 */
export function classifyMembers(input: ClassifyInput): Map<number, Classification> {
  const byPid = indexByPid(input.members);
  const isRoot = rootTest(input.roots);
  const facts: Facts = {
    byPid,
    isRoot,
    input,
    kept: findAgentStarted(input.members, input.roots),
    cyclic: findCyclic(byPid, isRoot),
    liveRoots: liveRootsByPid(byPid, input.roots),
    agents: new Set(input.roots.flatMap((root) => root.agent ?? [])),
  };
  const verdicts = new Map<number, Verdict>();
  for (const member of byPid.values()) {
    judge(member, facts, verdicts);
  }
  return new Map([...byPid.values()].map((member) => [member.pid, classify(member, facts, verdicts.get(member.pid))]));
}

interface Facts {
  readonly byPid: ReadonlyMap<number, ClassifyMember>;
  readonly isRoot: (member: RuleRoot) => boolean;
  readonly input: ClassifyInput;
  readonly kept: ReadonlySet<number>;
  readonly cyclic: ReadonlySet<number>;
  readonly liveRoots: ReadonlyMap<number, ClassifyRoot>;
  /** Agents of the block: daemons of others were started by a tool. */
  readonly agents: ReadonlySet<string>;
}

/** What evidence says of a member: a classification, or that the rule decides. `anchor`: its children go by session. */
type Verdict = (Classification & { readonly anchor?: boolean }) | 'rule';

function liveRootsByPid(byPid: ReadonlyMap<number, ClassifyMember>, roots: readonly ClassifyRoot[]) {
  const live = new Map<number, ClassifyRoot>();
  for (const root of roots) {
    const member = byPid.get(root.pid);
    if (member !== undefined && rootTest([root])(member)) {
      live.set(root.pid, root);
    }
  }
  return live;
}

/** Settles the member and, before it, every ancestor of it that is not settled yet. */
function judge(start: ClassifyMember, facts: Facts, verdicts: Map<number, Verdict>): void {
  const path: ClassifyMember[] = [];
  let current: ClassifyMember | undefined = start;
  while (current !== undefined && !verdicts.has(current.pid) && path.length <= facts.byPid.size) {
    path.push(current);
    current = isSettledAlone(current, facts) ? undefined : parentOf(current, facts.byPid);
  }
  for (const member of path.reverse()) {
    verdicts.set(member.pid, weigh(member, facts, verdicts));
  }
}

function isSettledAlone(member: ClassifyMember, facts: Facts): boolean {
  return facts.isRoot(member) || facts.cyclic.has(member.pid) || facts.input.launchers.has(member.pid);
}

function weigh(member: ClassifyMember, facts: Facts, verdicts: ReadonlyMap<number, Verdict>): Verdict {
  if (isSettledAlone(member, facts)) {
    return 'rule';
  }
  const parent = parentOf(member, facts.byPid);
  if (parent === undefined) {
    return weighOrphan(member, facts);
  }
  if (facts.isRoot(parent)) {
    return weighChildOfRoot(member, parent, facts);
  }
  const above = verdicts.get(parent.pid) ?? 'rule';
  if (above === 'rule') {
    return 'rule';
  }
  if (parent.daemon && above.role === 'plumbing' && member.agent === parent.agent) {
    return { role: 'plumbing', because: 'session of the agent in the background', anchor: !member.daemon };
  }
  if (above.anchor) {
    return weighSession(member, parent);
  }
  return { role: above.role, because: above.role === 'started' ? 'below a tool call' : 'below plumbing' };
}

/** The chain to the agent is broken: its session still tells plumbing, since tool calls left the agent's session. */
function weighOrphan(member: ClassifyMember, facts: Facts): Verdict {
  if (isOwnDaemon(member, facts)) {
    return OWN_DAEMON;
  }
  for (const root of facts.liveRoots.values()) {
    const sid = root.toolSessions ? facts.byPid.get(root.pid)?.sid : undefined;
    if (sid !== undefined && sid === member.sid) {
      return IN_SESSION;
    }
  }
  return 'rule';
}

function weighChildOfRoot(member: ClassifyMember, parent: ClassifyMember, facts: Facts): Verdict {
  if (isOwnDaemon(member, facts)) {
    return OWN_DAEMON;
  }
  return facts.liveRoots.get(parent.pid)?.toolSessions ? weighSession(member, parent) : 'rule';
}

function weighSession(member: ClassifyMember, parent: ClassifyMember): Verdict {
  if (member.sid === undefined || parent.sid === undefined) {
    return 'rule';
  }
  return member.sid === parent.sid ? IN_SESSION : { role: 'started', because: 'session of its own' };
}

function isOwnDaemon(member: ClassifyMember, facts: Facts): boolean {
  return member.daemon && member.agent !== undefined && facts.agents.has(member.agent);
}

const OWN_DAEMON = { role: 'plumbing', because: 'daemon of the agent' } as const;
const IN_SESSION = { role: 'plumbing', because: 'in the session of the agent' } as const;

function classify(member: ClassifyMember, facts: Facts, verdict: Verdict | undefined): Classification {
  if (facts.isRoot(member)) {
    const isRecorded = facts.liveRoots.get(member.pid)?.recorded ?? true;
    return { role: 'root', because: isRecorded ? 'launched as the agent' : 'the agent below its launcher' };
  }
  if (isConhost(member.name)) {
    return { role: 'plumbing', because: 'console host' };
  }
  if (facts.input.launchers.has(member.pid)) {
    return { role: 'plumbing', because: 'launches the agent' };
  }
  if (verdict !== undefined && verdict !== 'rule') {
    return { role: verdict.role, because: verdict.because };
  }
  const isKept = facts.kept.has(member.pid);
  return { role: isKept ? 'started' : 'plumbing', because: explainRule(member, isKept, facts) };
}
