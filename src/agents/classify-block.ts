import { indexByPid, parentOf } from '../filter/agent-started.ts';
import { type Classification, type ClassifyMember, type ClassifyRoot, classifyMembers } from '../filter/classify.ts';
import { type CountedMarks, countMarks, type MarksInput } from '../filter/count-marks.ts';
import { processName } from '../filter/shells.ts';
import type { SessionBinding } from '../model/evidence.ts';
import { type AgentRoot, type AgentRoots, findAgentRoots } from './find-roots.ts';
import type { AgentProcess, AgentProfile, RecordedRoot } from './profile.ts';
import { findStarter, recogniseAgent, recogniseDaemon } from './recognise.ts';

/** Roles of a block's members with the roots that were found. */
export interface BlockClassification extends AgentRoots {
  readonly roles: ReadonlyMap<number, Classification>;
  /** By pid: the marks that count for this block. */
  readonly counted: ReadonlyMap<number, CountedMarks>;
  /** Sessions that this look found to be the roots' own, to be remembered. */
  readonly bindings: readonly SessionBinding[];
}

/** Gets what these agents told of the members; called once, and only if the block has such an agent. */
export type GetMarks = (agents: readonly AgentProfile[]) => MarksInput;

/**
 * Roles of the live members of a block: finds its roots, then asks the agents' evidence and the rule. `recorded` are the
 * roots of every run, alive or not. Members that have ended (zombies) are left out by the caller.
 */
export function classifyBlock(
  processes: readonly AgentProcess[],
  recorded: readonly RecordedRoot[],
  getMarks?: GetMarks,
): BlockClassification {
  const found = findAgentRoots(processes, recorded);
  const byPid = indexByPid(processes.map(toNamed));
  const members = [...byPid.values()].map((process) => toClassifyMember(process, parentOf(process, byPid)));
  const { counted, bindings } = countMarks(
    indexByPid(members),
    [...found.roots.map(toOwner), ...findHosted(members)],
    getMarks === undefined ? NO_MARKS : askAgents(found.roots, getMarks),
  );
  const roles = classifyMembers({
    members,
    roots: found.roots.map(toRoot),
    launchers: found.launchers,
    marks: counted,
  });
  return { ...found, roles, counted, bindings };
}

const NO_MARKS: MarksInput = { byPid: new Map(), bindings: [] };

function askAgents(roots: readonly AgentRoot[], getMarks: GetMarks): MarksInput {
  const profiles = new Set(roots.flatMap(({ profile }) => profile ?? []));
  const telling = [...profiles].filter(({ marks, output }) => marks !== undefined || output !== undefined);
  return telling.length === 0 ? NO_MARKS : getMarks(telling);
}

function toNamed(process: AgentProcess) {
  return { ...process, name: processName(process) };
}

function toClassifyMember(
  process: AgentProcess & { readonly name: string },
  parent: AgentProcess | undefined,
): ClassifyMember {
  const { pid, ppid, sid, startTicks, name } = process;
  const agent = recogniseAgent(process)?.id;
  const daemon = agent === undefined ? undefined : recogniseDaemon(process);
  return {
    pid,
    ppid,
    sid,
    startTicks,
    name,
    agent,
    daemon: daemon?.title,
    starterPid: daemon === undefined ? undefined : findStarter(process, daemon),
    isCopy: parent !== undefined && isCopyOf(process, parent),
  };
}

function isCopyOf(process: AgentProcess, parent: AgentProcess): boolean {
  const [own, others] = [process.argv, parent.argv];
  if (own === undefined || others === undefined || process.exe !== parent.exe) return false;
  return own.length === others.length && own.every((word, index) => word === others[index]);
}

function toOwner({ pid, startTicks, profile }: AgentRoot) {
  return { pid, startTicks, agent: profile?.id };
}

/** Sessions that went on in a daemon: their marks name them, no root. */
function findHosted(members: readonly ClassifyMember[]): ClassifyMember[] {
  const byPid = indexByPid(members);
  return members.filter((member) => {
    const parent = member.agent === undefined ? undefined : parentOf(member, byPid);
    return parent?.daemon !== undefined && parent.agent === member.agent;
  });
}

function toRoot({ pid, startTicks, profile, recorded }: AgentRoot): ClassifyRoot {
  return { pid, startTicks, agent: profile?.id, toolSessions: profile?.toolSessions ?? false, recorded };
}
