import { isGone } from '../model/process.ts';
import type { Platform } from '../platform/platform.ts';
import type { CallProcess } from './join.ts';

/** Variables that carry the id of a call, in the order in which they count: ours names the block too. */
export const callVariables: readonly string[] = ['AGENTMUX_CALL', 'CODEX_TOOL_CALL_ID'];

/** Variables that carry the session of the agent, for agents whose shells are noted by the shell prefix. */
export const sessionVariables: readonly string[] = ['CLAUDE_CODE_SESSION_ID'];

/** Looks at live processes as calls need them; those that are gone are left out. */
export function readCallProcesses(
  pids: Iterable<number>,
  platform: Pick<Platform, 'readStat' | 'readEnvironment' | 'startedAtMs'>,
): CallProcess[] {
  return Array.from(pids).flatMap((pid) => {
    const stat = platform.readStat(pid);
    if (stat === undefined || isGone(stat)) return [];
    const { ppid, sid, startTicks } = stat;
    const environment = platform.readEnvironment(pid) ?? [];
    const startedAtMs = platform.startedAtMs(startTicks);
    const [mark, sessionId] = [callVariables, sessionVariables].map((names) => findVariable(environment, names));
    return [{ pid, ppid, sid: sid || undefined, startTicks, startedAtMs, mark, sessionId }];
  });
}

function findVariable(environment: readonly string[], names: readonly string[]): string | undefined {
  for (const name of names) {
    const entry = environment.find((one) => one.startsWith(`${name}=`));
    if (entry !== undefined && entry.length > name.length + 1) return entry.slice(name.length + 1);
  }
  return undefined;
}
