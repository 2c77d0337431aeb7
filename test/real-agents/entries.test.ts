import { expect, it } from 'vitest';
import { createRig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { describeIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { claudeEnvironment, installClaude } from './claude.ts';
import { startModelServer } from './model-server.ts';
import { comboScenario, leakScenario, type Scenario } from './scenarios.ts';

interface Entry {
  readonly id: string;
  readonly source: string;
  readonly status: string;
  readonly command: string;
  readonly taskId: string | null;
  readonly ports: readonly number[];
  readonly pids: readonly number[];
  readonly label: { readonly toolId: string | null; readonly description: string | null } | null;
}

const claude = installClaude();

describeIf(claude !== undefined, 'claude could not be installed', 'entries of a real claude', () => {
  it.each(['auto', 'scan'])(
    'are its background task and each call that left something, with their ids and what they are for; tracker %s',
    async (tracker) => {
      const scenario = comboScenario(40);
      const { rig, entries } = await startClaude(scenario, tracker, 5);
      const background = entries.find(({ source }) => source === 'background');
      expect(background).toMatchObject({
        status: 'running',
        command: scenario.turns[0]?.tools?.[0]?.command,
        label: { toolId: expect.stringMatching(/^toolu_/), description: 'Dev server' },
        taskId: expect.stringMatching(/^\w+$/),
      });
      expect(background?.ports).toHaveLength(1);
      const left = entries.filter(({ source }) => source === 'detached');
      // Without an environment, in a session of its own, handed to another parent: nothing ties the double fork to its call.
      expect(left.flatMap(({ label }) => label?.description ?? []).sort()).toEqual([
        'background job',
        'nohup',
        'setsid',
      ]);
      expect(left.find(({ label }) => label === null)?.command).toBe(`sleep ${scenario.survivors[2]}`);
      expect(new Set(entries.flatMap(({ label }) => label?.toolId ?? [])).size).toBe(4);
      await rig
        .agentmux('kill', `:${background?.ports[0]}`)
        .stdout(/(exited|killed)/)
        .stderr(anything)
        .run();
      await waitFor('the end of the background task', async () => {
        const { entries: now } = await rig.agentmux('entries', '--json').json<{ entries: Entry[] }>();
        return now.find(({ id }) => id === background?.id)?.status === 'exited';
      });
    },
    120_000,
  );

  it('keep their calls after the agent has ended, and are reported so', async () => {
    const scenario = leakScenario(3);
    const { rig, wrapper } = await startClaude(scenario, 'auto', 4);
    await wrapper.exited(60_000);
    expect(wrapper.stderr).toMatch(/ENTRY +PID [\s\S]* p1 .* {2}"nohup" toolu_/);
    const { entries } = await rig.agentmux('entries', '--json').stderr(anything).json<{ entries: Entry[] }>();
    expect(entries).toHaveLength(4);
    expect(entries.filter(({ label }) => label !== null)).toHaveLength(3);
    await rig.agentmux('kill-tree', '--block', 'claude').stdout(anything).stderr(anything).run();
  }, 120_000);
});

/** Runs claude in a block until so many entries are there, none of them without its call. */
async function startClaude(scenario: Scenario, tracker: string, count: number) {
  const rig = createRig({ tracker });
  const baseUrl = await startModelServer(scenario.turns);
  const call = rig.run(
    ...['--block', 'claude', '--', claude ?? '', '-p', 'do it', '--dangerously-skip-permissions'],
    ...['--output-format', 'stream-json', '--verbose'],
  );
  for (const [variable, value] of Object.entries(claudeEnvironment(baseUrl))) call.env(variable, value);
  const wrapper = call.start({ detached: true });
  const entries = await waitFor(
    `${count} entries`,
    async () => {
      const read = rig.agentmux('entries', '--json').stderr(anything);
      const running = (await read.json<{ entries: Entry[] }>()).entries.filter(({ status }) => status === 'running');
      const isWhole = running.every(({ source, ports }) => source === 'detached' || ports.length > 0);
      return running.length >= count && isWhole && running;
    },
    60_000,
  );
  return { rig, wrapper, entries };
}
