import { onTestFinished } from 'vitest';
import { waitFor } from '../../helpers/wait-for.ts';
import { type AgentSession, capMs, sleeper } from './agent.ts';
import { descendants, endProcess, isAlive } from './look.ts';

/** Pids of what an agent started in each way that there is. */
export interface Population {
  /** `cmd.exe` as a tool call. */
  readonly tool: number;
  /** What runs in it. */
  readonly inTool: number;
  /** Without our console, in a process group of its own. */
  readonly detached: number;
  /** Without the variables of the block. */
  readonly bare: number;
  /** An orphan: its maker has ended. */
  readonly orphan: number;
  /** Started with the wish to be outside every job; undefined where the system refuses that. */
  readonly breakaway: number | undefined;
}

/** Lets an agent start a child in each of these ways. */
export async function populate(agent: AgentSession): Promise<Population> {
  const tool = await agent.startTool(sleeper.join(' '));
  const detached = await agent.start(sleeper, { detached: true });
  const bare = await agent.start(sleeper, { detached: true, env: bareEnvironment() });
  const { pid: breakaway } = await agent.breakAway(sleeper.join(' '));
  const { pid: orphan, maker } = await agent.startOrphan(sleeper);
  await waitFor('its maker to end', () => !isAlive(maker), capMs);
  const inTool = await waitFor('the program of the tool', () => childNamed(tool, 'ping.exe'), capMs);
  onTestFinished(() => void (isAlive(inTool) && endProcess(inTool)));
  return { tool, inTool, detached, bare, orphan, breakaway };
}

/** All its pids. */
export function pidsOf(population: Population): number[] {
  return Object.values(population).filter((pid) => pid !== undefined);
}

function childNamed(pid: number, name: string): number | undefined {
  return descendants(pid).find((child) => child.name === name)?.pid;
}

/** What programs cannot do without. */
function bareEnvironment(): Record<string, string> {
  const { SystemRoot = 'C:\\Windows', PATH, Path } = process.env;
  return { SystemRoot, PATH: PATH ?? Path ?? '' };
}
