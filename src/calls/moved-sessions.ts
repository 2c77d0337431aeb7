import { findProfile } from '../agents/profiles.ts';
import { recogniseAgent, recogniseDaemon } from '../agents/recognise.ts';
import type { BlockRecord } from '../model/block.ts';
import type { ProcessStat } from '../model/process.ts';
import type { Platform } from '../platform/platform.ts';
import type { MarkMemory } from './read-marks.ts';

/** A session of a block's agent that goes on in a process outside the block. */
export interface MovedSession {
  readonly session: string;
  readonly pid: number;
}

/**
 * Sessions that the block's agent had and that another process of the same agent, no member of the block, resumes: what
 * "move to background" leaves where the user's daemon was there before. By the session's id in that process's arguments, so
 * that what is told is true; a session that was never seen, or that cannot be told so, is not found. For a block whose agent
 * has ended; reads the arguments of session leaders that are younger than the block.
 */
export function findMovedSessions(
  record: BlockRecord,
  members: readonly { readonly pid: number }[],
  platform: Platform,
  memory: MarkMemory,
): MovedSession[] {
  const agent = findProfile(record.agent);
  const option = agent?.resumeOption;
  if (agent === undefined || option === undefined) return [];
  const { bootId } = platform.host();
  const bindings = memory.marks(record.id).bindings.filter((one) => one.bootId === bootId && one.agent === agent.id);
  if (bindings.length === 0) return [];
  const inside = new Set(members.map(({ pid }) => pid));
  const since = Math.min(...record.runs.map(({ wrapper }) => wrapper.startTicks));
  return platform
    .readTable()
    .filter((stat) => isLeader(stat) && stat.startTicks >= since && !inside.has(stat.pid))
    .flatMap(({ pid, comm }) => {
      const { argv, exe } = platform.readDetails(pid, { argv: true, exe: true });
      const resumed = argv === undefined ? undefined : argv[argv.indexOf(option) + 1];
      if (argv?.includes(option) !== true || resumed === undefined) return [];
      const process = { argv, exe, comm };
      if (recogniseAgent(process) !== agent || recogniseDaemon(process) !== undefined) return [];
      return bindings.filter(({ session }) => resumed.includes(session)).map(({ session }) => ({ session, pid }));
    });
}

/** One sentence for people. */
export function describeMovedSession({ session, pid }: MovedSession, { id, agent }: BlockRecord): string {
  return `${id}: session ${session} goes on in ${agent} (pid ${pid}), outside this block`;
}

function isLeader({ pid, sid }: ProcessStat): boolean {
  return pid === sid;
}
