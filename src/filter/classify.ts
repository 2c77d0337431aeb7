import type { Role } from '../model/block.ts';
import type { Evidence, EvidenceKind } from '../model/evidence.ts';
import {
  findAgentStarted,
  findCyclic,
  indexByPid,
  parentOf,
  type RuleMember,
  type RuleRoot,
  rootTest,
} from './agent-started.ts';
import type { CountedMarks } from './count-marks.ts';
import { explainRule } from './explain-rule.ts';
import { isConhost } from './shells.ts';
import { COPY, describeDaemon, HOSTED, IN_SESSION, OWN_SESSION, type Verdict, verdictOfMarks } from './verdicts.ts';

/** A live member with what the evidence needs; src/agents says what its profile is. */
export interface ClassifyMember extends RuleMember {
  /** Session id; undefined if it cannot be seen or the system has none. */
  readonly sid: number | undefined;
  /** Profile id if the process is an agent CLI. */
  readonly agent: string | undefined;
  /** What kind of daemon of that agent it is, for people. */
  readonly daemon: string | undefined;
  /** Of a daemon: pid of the agent that started it, where its command line says so. */
  readonly starterPid: number | undefined;
  /** True if its executable and arguments are those of its parent: forked, and not yet what it will be. */
  readonly isCopy: boolean;
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
  /** By pid: the marks that count for this block (count-marks.ts). */
  readonly marks: ReadonlyMap<number, CountedMarks>;
}

/** What a member is to its block, and why: in a few words for people, and by what kind of evidence. */
export interface Classification {
  readonly role: Role;
  readonly because: string;
  readonly evidence: Evidence;
}

/**
 * Roles of all members. Before the agent-started rule comes what the agent itself tells of a process: that it is a daemon
 * of its own, a mark, the file that it writes to, its session. What an agent started through a tool stays so with all
 * below it; so does plumbing, unless a mark or an output of a tool call is found there. The rule decides the rest.
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
  const told = verdictOfMarks(facts.input.marks.get(member.pid));
  if (parent === undefined) {
    return weighDaemon(member, facts) ?? told ?? weighOrphan(member, facts);
  }
  if (facts.isRoot(parent)) {
    return weighDaemon(member, facts) ?? told ?? weighChildOfRoot(member, parent, facts);
  }
  const above = verdicts.get(parent.pid) ?? 'rule';
  if (above === 'rule') {
    return told ?? 'rule';
  }
  if (parent.daemon !== undefined && above.role === 'plumbing' && member.agent === parent.agent) {
    return member.daemon === undefined ? HOSTED : describeDaemon(member.daemon);
  }
  if (above.anchor) {
    return told ?? weighSession(member, parent);
  }
  if (above.role === 'plumbing' && told?.role === 'started') {
    return told;
  }
  return {
    role: above.role,
    because: above.role === 'started' ? 'below a tool call' : 'below plumbing',
    kind: 'descent',
  };
}

/** A daemon that says that another agent started it, one inside a tool call, is none of the block's own. */
function weighDaemon({ daemon, agent, starterPid }: ClassifyMember, facts: Facts): Verdict | undefined {
  const isOwn = daemon !== undefined && agent !== undefined && facts.agents.has(agent);
  const isForeign = starterPid !== undefined && !facts.input.roots.some(({ pid }) => pid === starterPid);
  return isOwn && !isForeign ? describeDaemon(daemon) : undefined;
}

/** The chain to the agent is broken: its session still tells plumbing, since tool calls left the agent's session. */
function weighOrphan(member: ClassifyMember, facts: Facts): Verdict {
  for (const root of facts.liveRoots.values()) {
    const sid = root.toolSessions ? facts.byPid.get(root.pid)?.sid : undefined;
    if (sid !== undefined && sid === member.sid) {
      return IN_SESSION;
    }
  }
  return 'rule';
}

function weighChildOfRoot(member: ClassifyMember, parent: ClassifyMember, facts: Facts): Verdict {
  if (!facts.liveRoots.get(parent.pid)?.toolSessions) {
    return 'rule';
  }
  return member.isCopy && member.agent !== undefined ? COPY : weighSession(member, parent);
}

function weighSession(member: ClassifyMember, parent: ClassifyMember): Verdict {
  if (member.sid === undefined || parent.sid === undefined) {
    return 'rule';
  }
  return member.sid === parent.sid ? IN_SESSION : OWN_SESSION;
}

function classify(member: ClassifyMember, facts: Facts, verdict: Verdict | undefined): Classification {
  const { mark, output } = facts.input.marks.get(member.pid) ?? {};
  const conclude = (role: Role, because: string, kind: EvidenceKind): Classification => ({
    role,
    because,
    evidence: {
      kind,
      mark: mark?.name,
      session: mark?.session ?? output?.session,
      taskId: output?.taskId,
      callId: mark?.callId,
    },
  });
  if (facts.isRoot(member)) {
    const isRecorded = facts.liveRoots.get(member.pid)?.recorded ?? true;
    return conclude('root', isRecorded ? 'launched as the agent' : 'the agent below its launcher', 'root');
  }
  if (isConhost(member.name)) {
    return conclude('plumbing', 'console host', 'console');
  }
  if (facts.input.launchers.has(member.pid)) {
    return conclude('plumbing', 'launches the agent', 'launcher');
  }
  if (verdict !== undefined && verdict !== 'rule') {
    return conclude(verdict.role, verdict.because, verdict.kind);
  }
  const isKept = facts.kept.has(member.pid);
  return conclude(isKept ? 'started' : 'plumbing', explainRule(member, isKept, facts), 'rule');
}
