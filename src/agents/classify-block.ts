import { type Classification, type ClassifyMember, type ClassifyRoot, classifyMembers } from '../filter/classify.ts';
import { processName } from '../filter/shells.ts';
import { type AgentRoots, findAgentRoots } from './find-roots.ts';
import type { AgentProcess, RecordedRoot } from './profile.ts';
import { recogniseAgent, recogniseDaemon } from './recognise.ts';

/** Roles of a block's members with the roots that were found. */
export interface BlockClassification extends AgentRoots {
  readonly roles: ReadonlyMap<number, Classification>;
}

/**
 * Roles of the live members of a block: finds its roots, then asks the agents' evidence and the rule. `recorded` are the
 * roots of every run, alive or not. Members that have ended (zombies) are left out by the caller.
 */
export function classifyBlock(
  members: readonly AgentProcess[],
  recorded: readonly RecordedRoot[],
): BlockClassification {
  const found = findAgentRoots(members, recorded);
  const roles = classifyMembers({
    members: members.map(toClassifyMember),
    roots: found.roots.map(({ pid, startTicks, profile, recorded: isRecorded }): ClassifyRoot => {
      return {
        pid,
        startTicks,
        agent: profile?.id,
        toolSessions: profile?.toolSessions ?? false,
        recorded: isRecorded,
      };
    }),
    launchers: found.launchers,
  });
  return { ...found, roles };
}

function toClassifyMember(process: AgentProcess): ClassifyMember {
  const { pid, ppid, sid, startTicks } = process;
  const agent = recogniseAgent(process)?.id;
  const isDaemon = agent !== undefined && recogniseDaemon(process) !== undefined;
  return { pid, ppid, sid, startTicks, name: processName(process), agent, daemon: isDaemon };
}
