import type { Rig } from './cli.ts';
import { createFakeAgent, type FakeAgentSession } from './fake-agent.ts';
import type { RunningCli } from './running-cli.ts';

/** A block whose agent waits for orders. */
export interface LiveBlock {
  readonly id: string;
  readonly agent: FakeAgentSession;
  readonly wrapper: RunningCli;
}

/** Starts the fake agent in a block of this name; options of agentmux-run come after it. */
export async function startBlock(rig: Rig, id: string, ...options: string[]): Promise<LiveBlock> {
  const agent = await createFakeAgent();
  const wrapper = rig.run('--block', id, ...options, '--', ...agent.argv).start();
  return { id, agent: await agent.connected(), wrapper };
}
