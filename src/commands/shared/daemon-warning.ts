import { warnOfDaemons } from '../../agents/daemons.ts';
import type { Context } from '../../context.ts';
import type { KillTarget } from '../../kill/kill.ts';
import type { MemberView } from '../../trackers/inspect.ts';

/** Says on standard error which daemons of agents are about to end, and what may end with them. */
export function sayWhichDaemonsEnd(
  context: Context,
  members: readonly MemberView[],
  targets: readonly KillTarget[],
): void {
  const pids = new Set(targets.map(({ pid }) => pid));
  const ending = members.filter(({ pid }) => pids.has(pid));
  for (const sentence of warnOfDaemons(ending)) context.stderr.write(`warning: ${sentence}\n`);
}
