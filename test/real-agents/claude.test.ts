import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { findByArgv } from '../helpers/procfs.ts';
import type { RunningCli } from '../helpers/running-cli.ts';
import { describeIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { claudeEnvironment, installClaude } from './claude.ts';
import { startModelServer } from './model-server.ts';
import { comboScenario, leakScenario, type Scenario } from './scenarios.ts';

interface Row {
  readonly pid: number;
  readonly role: string;
  readonly command: string;
}

/** How a run of the agent comes to its end. */
type Ending = 'normal' | 'TERM' | 'INT' | 'HUP' | 'KILL';

const claude = installClaude();
const trackers = ['auto', 'scan'];
const endings: readonly Ending[] = ['normal', 'TERM', 'INT', 'HUP', 'KILL'];
const scenarios = { leak: leakScenario, combo: comboScenario } as const;

describeIf(claude !== undefined, 'claude could not be installed', 'real claude', () => {
  const cases = trackers.flatMap((tracker) =>
    (Object.keys(scenarios) as (keyof typeof scenarios)[]).flatMap((scenario) =>
      endings.map((ending) => [scenario, ending, tracker] as const),
    ),
  );

  it.each(cases)(
    '%s, ended by %s, tracker %s: ps lists what it started and none of its plumbing; nothing is left',
    async (name, ending, tracker) => {
      const scenario = scenarios[name](ending === 'normal' ? 3 : 60);
      const rig = createRig({ tracker });
      const wrapper = await startClaude(rig, scenario);
      const started = await waitForSurvivors(rig, scenario);
      expect(started.filter(({ role }) => role !== 'started')).toEqual([]);
      expect(
        started
          .map(({ command }) => command)
          .filter((command) => /mcp-server|claude\.exe/.test(command.split(' ')[0] ?? '')),
      ).toEqual([]);
      const all = await rig.agentmux('ps', '--all', '--json').json<{ rows: Row[] }>();
      expect(all.rows.filter(({ command }) => command.includes('mcp-server.mjs')).map(({ role }) => role)).toContain(
        'plumbing',
      );

      await end(rig, wrapper, name, ending);
      await wrapper.exited(60_000);
      await expectNothingLeft(rig, scenario);
    },
    120_000,
  );
});

async function startClaude(rig: Rig, scenario: Scenario): Promise<RunningCli> {
  const baseUrl = await startModelServer(scenario.turns);
  const mcp = { mcpServers: { fixture: { command: 'node', args: [resolve('test/fixtures/mcp-server.mjs')] } } };
  const call = rig.run(
    ...[
      '--block',
      'claude',
      '--leftovers',
      'kill',
      '--',
      claude ?? '',
      '-p',
      'do it',
      '--dangerously-skip-permissions',
    ],
    ...['--mcp-config', JSON.stringify(mcp), '--output-format', 'stream-json', '--verbose'],
  );
  for (const [variable, value] of Object.entries(claudeEnvironment(baseUrl))) call.env(variable, value);
  return call.start({ detached: true });
}

/** Waits until `ps` lists everything of the scenario that outlives its tool call. */
function waitForSurvivors(rig: Rig, { survivors }: Scenario): Promise<readonly Row[]> {
  return waitFor(
    `ps to list ${survivors.join(', ')}`,
    async () => {
      const { rows } = await rig.agentmux('ps', '--json').json<{ rows: Row[] }>();
      return survivors.every((marker) => rows.some(({ command }) => command.includes(marker))) && rows;
    },
    60_000,
  );
}

/** A signal goes to agentmux-run, which passes it on; KILL goes to the agent itself, which nobody can stop. */
async function end(rig: Rig, wrapper: RunningCli, name: string, ending: Ending): Promise<void> {
  if (ending === 'normal') {
    // With a background task claude answers and then waits for it, up to ten minutes.
    if (name === 'combo') await endDevServer(rig);
    return;
  }
  const { rows } = await rig.agentmux('ps', '--all', '--json').json<{ rows: Row[] }>();
  const agent = rows.find(({ role }) => role === 'root');
  if (agent === undefined) throw new Error('no root is listed');
  await delay(100);
  if (ending === 'KILL') process.kill(agent.pid, 'SIGKILL');
  else wrapper.kill(`SIG${ending}`);
}

async function endDevServer(rig: Rig): Promise<void> {
  const { rows } = await rig.agentmux('ps', '--json').json<{ rows: Row[] }>();
  const server = rows.find(({ command }) => command.startsWith('node -e'));
  if (server === undefined) throw new Error('the dev server is not listed');
  await rig.agentmux('kill', '--block', 'claude', `${server.pid}`).stdout(/./).run();
}

async function expectNothingLeft(rig: Rig, { survivors }: Scenario): Promise<void> {
  const left = () => survivors.flatMap((marker) => findByArgv(marker));
  expect(left()).toEqual([]);
  const { rows } = await rig.agentmux('ps', '--all', '--json').json<{ rows: Row[] }>();
  expect(rows).toEqual([]);
}
