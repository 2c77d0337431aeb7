import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rig } from './cli.ts';
import { createFakeAgent, type FakeAgentSession } from './fake-agent.ts';
import type { RunningCli } from './running-cli.ts';
import { waitFor } from './wait-for.ts';

/** A block whose agent waits for orders. */
export interface LiveBlock {
  readonly id: string;
  readonly agent: FakeAgentSession;
  readonly wrapper: RunningCli;
}

/**
 * Starts the fake agent in a block of this name, and waits until the run has recorded it: the agent speaks before that.
 * Options of agentmux-run come after the name.
 */
export async function startBlock(rig: Rig, id: string, ...options: string[]): Promise<LiveBlock> {
  const agent = await createFakeAgent();
  const wrapper = rig.run('--block', id, ...options, '--', ...agent.argv).start();
  const session = await agent.connected();
  await waitFor(`${id} to be recorded as running`, () => isRecorded(join(rig.stateDirectory, 'blocks', `${id}.json`)));
  return { id, agent: session, wrapper };
}

function isRecorded(path: string): boolean {
  const { runs } = JSON.parse(readFileSync(path, 'utf8')) as { runs: readonly { root?: object | null }[] };
  return Boolean(runs.at(-1)?.root);
}
