import { recogniseAgent, recogniseDaemon } from '../../agents/recognise.ts';
import { describeProcess } from '../../annotate/rows.ts';
import type { Context } from '../../context.ts';
import { isGone, type ProcessStat } from '../../model/process.ts';
import { createWorktreeFinder, type GitWorktree } from '../../platform/git-worktree.ts';
import { formatAge, UNKNOWN } from '../../render/format.ts';
import type { Column } from '../../render/table.ts';
import { liveParent, openMembership } from './membership.ts';

/** An agent of a known kind that runs outside any block. Texts are untrusted; what is unknown is undefined. */
export interface StrayAgent {
  /** Profile id. */
  readonly agent: string;
  /** What it is, where it is a daemon of the agent's. */
  readonly daemon: string | undefined;
  readonly pid: number;
  readonly startTicks: number;
  readonly startedAtMs: number;
  readonly ageMs: number;
  readonly tty: string | undefined;
  readonly uid: number | undefined;
  readonly cwd: string | undefined;
  readonly worktree: GitWorktree | undefined;
  readonly command: string | undefined;
  readonly redacted: boolean;
}

/** Looks for agents outside any block; signals and records nothing. Of agents that run below another the topmost counts. */
export function findStrayAgents(context: Context): StrayAgent[] {
  const { platform } = context;
  const { table, findMember, findWrapper } = openMembership(context, 'doctor');
  const strays = new Map<number, StrayAgent>();
  const findWorktree = createWorktreeFinder();
  for (const stat of table.values()) {
    if (isGone(stat) || findMember(stat.pid) !== undefined || findWrapper(stat) !== undefined) continue;
    const { argv, exe } = platform.readDetails(stat.pid, { argv: true, exe: true });
    const named = { argv, exe, comm: stat.comm };
    const profile = recogniseAgent(named);
    if (profile === undefined) continue;
    const { cwd, uid } = platform.readDetails(stat.pid, { cwd: true, status: true });
    const startedAtMs = platform.startedAtMs(stat.startTicks);
    const { command, redacted } = describeProcess(argv, stat.comm, true);
    strays.set(stat.pid, {
      agent: profile.id,
      daemon: recogniseDaemon(named)?.title,
      pid: stat.pid,
      startTicks: stat.startTicks,
      startedAtMs,
      ageMs: Math.max(0, context.now() - startedAtMs),
      tty: stat.ttyNr === 0 ? undefined : platform.ttyName(stat.ttyNr),
      uid,
      cwd,
      worktree: findWorktree(cwd),
      command,
      redacted,
    });
  }
  return [...strays.values()].filter(({ pid }) => !isBelowAnother(pid, strays, table));
}

function isBelowAnother(
  pid: number,
  strays: ReadonlyMap<number, StrayAgent>,
  table: ReadonlyMap<number, ProcessStat>,
): boolean {
  let at = liveParent(table, pid);
  for (let steps = 0; at !== undefined && steps <= table.size; steps += 1) {
    if (strays.has(at)) return true;
    at = liveParent(table, at);
  }
  return false;
}

/** The columns of `doctor --untracked`. */
export const strayColumns: readonly Column<StrayAgent>[] = [
  { header: 'AGENT', text: ({ agent, daemon }) => daemon ?? agent, style: () => 'cyan' },
  { header: 'PID', align: 'right', text: ({ pid }) => String(pid), style: () => 'bold' },
  { header: 'AGE', align: 'right', text: ({ ageMs }) => formatAge(ageMs) },
  { header: 'TERMINAL', text: ({ tty }) => tty ?? UNKNOWN },
  { header: 'DIRECTORY', text: ({ cwd }) => cwd ?? UNKNOWN },
  { header: 'COMMAND', text: ({ command }) => command ?? UNKNOWN },
];
