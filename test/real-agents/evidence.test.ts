import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { describeIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { claudeEnvironment, installClaude } from './claude.ts';
import { startModelServer } from './model-server.ts';
import { otherAgents } from './other-agents.ts';
import { createPlumbing, type Plumbing } from './plumbing.ts';
import {
  backgroundScenario,
  comboScenario,
  devServer,
  foreground,
  hooksScenario,
  leakScenario,
  type Scenario,
  takeMarker,
} from './scenarios.ts';

interface Row {
  readonly pid: number;
  readonly parentPid: number;
  readonly sid: number;
  readonly role: 'root' | 'plumbing' | 'started';
  readonly because: string;
  readonly evidence: { readonly kind: string; readonly session: string | null; readonly taskId: string | null };
  readonly command: string;
  readonly label: {
    readonly callId: string;
    readonly toolId: string | null;
    readonly description: string | null;
  } | null;
  readonly entry: string | null;
}

const claude = installClaude();
const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'Stop'];
const scenarios = {
  combo: comboScenario,
  background: backgroundScenario,
  leak: leakScenario,
  hooks: hooksScenario,
} as const;

describeIf(claude !== undefined, 'claude could not be installed', 'real claude', () => {
  it.each([
    ['combo', 'auto'],
    ['combo', 'scan'],
    ['background', 'auto'],
    ['leak', 'scan'],
    ['hooks', 'auto'],
    ['hooks', 'scan'],
  ] as const)(
    'with MCP servers and hooks, scenario %s, tracker %s: each process is what it is, with the call that it is of',
    async (name, tracker) => {
      const rig = createRig({ tracker });
      const plumbing = createPlumbing();
      const scenario = scenarios[name](60);
      const hook = takeMarker();
      const hooks = [{ type: 'command', command: `timeout 0.4 tail -s ${hook} -f /dev/null; true` }];
      await start(rig, scenario, claude ?? '', (baseUrl) => ({
        args: [
          ...['-p', 'do it', '--dangerously-skip-permissions', '--output-format', 'stream-json', '--verbose'],
          ...['--mcp-config', JSON.stringify({ mcpServers: plumbing.servers })],
          ...['--settings', JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, [{ hooks }]])) })],
        ],
        env: claudeEnvironment(baseUrl),
      }));
      const { rows, seen } = await watchUntilAll(rig, scenario, plumbing);
      expectRoles(rows, scenario, plumbing);
      expectLabels(rows, scenario);
      const ofHooks = seen.filter(({ role, command }) => role !== 'root' && command.includes(hook));
      expect(ofHooks.filter(({ role }) => role !== 'plumbing')).toEqual([]);
      expect(ofHooks).not.toEqual([]);
      const ofPlumbing = seen.filter(({ role, label }) => role !== 'started' && label !== null);
      expect(ofPlumbing).toEqual([]);

      // Then without the agent: what is left keeps its role and its call, by what was remembered.
      const root = rows.find(({ role }) => role === 'root');
      if (root === undefined) throw new Error('no root is listed');
      process.kill(root.pid, 'SIGKILL');
      const left = await waitFor('the agent to be gone', async () => {
        const now = await list(rig);
        return !now.some(({ pid }) => pid === root.pid) && now;
      });
      print(left);
      const known = new Map(rows.map((row) => [row.pid, row]));
      const both = left.filter(({ pid }) => known.has(pid));
      const tell = ({ pid, role, label }: Row) => [pid, role, label?.callId];
      expect(both.map(tell)).toEqual(both.map((row) => tell(known.get(row.pid) ?? row)));
    },
    150_000,
  );
});

describe.each(otherAgents)('real $id', (agent) => {
  it('with MCP servers and escaped commands: each process is what it is', async (test) => {
    const program = agent.install();
    if (program === undefined) return test.skip(`${agent.id} could not be installed`);
    const rig = createRig();
    const plumbing = createPlumbing();
    const scenario = leakScenario(60);
    await start(rig, scenario, program, (baseUrl) =>
      agent.configure(join(rig.directory, 'home'), baseUrl, plumbing.servers),
    );
    const expected = { ...scenario, survivors: scenario.survivors.filter((_, index) => agent.leaves.includes(index)) };
    const { rows } = await watchUntilAll(rig, expected, plumbing);
    // What it does not always let live is a tool's all the same.
    expectRoles(rows, scenario, plumbing);
    if (agent.callIds) expectCallIds(rows);
  }, 240_000);
});

type Configuration = { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };

async function start(
  rig: Rig,
  { turns }: Scenario,
  program: string,
  configure: (baseUrl: string) => Configuration,
): Promise<void> {
  const { args, env } = configure(await startModelServer(turns));
  const call = rig.run('--block', 'agent', '--leftovers', 'kill', '--', program, ...args);
  for (const [name, value] of Object.entries(env)) call.env(name, value);
  call.start({ detached: true });
}

/** Looks again and again until all that the scenario starts is there; keeps every row that was ever seen. */
async function watchUntilAll(rig: Rig, { survivors }: Scenario, { markers }: Plumbing) {
  const seen: Row[] = [];
  const wanted = [...survivors, ...markers, foreground];
  const rows = await waitFor(
    'all processes of the scenario',
    async () => {
      const now = await list(rig);
      seen.push(...now);
      const isThere = (marker: string) => now.some(({ role, command }) => role !== 'root' && command.includes(marker));
      return wanted.every(isThere) && now;
    },
    200_000,
  );
  print(rows);
  return { rows, seen };
}

async function list(rig: Rig): Promise<Row[]> {
  return (await rig.agentmux('ps', '--all', '--json', '--no-ports').json<{ rows: Row[] }>()).rows;
}

/** No plumbing is counted, no tool process is missed. */
function expectRoles(rows: readonly Row[], { survivors }: Scenario, { markers }: Plumbing): void {
  const below = rows.filter(({ role }) => role !== 'root');
  const withMarker = (all: readonly string[]) =>
    below.filter(({ command }) => all.some((one) => command.includes(one)));
  expect(withMarker(markers).filter(({ role }) => role !== 'plumbing')).toEqual([]);
  const tools = withMarker([...survivors, foreground, devServer]);
  expect(tools.filter(({ role }) => role !== 'started')).toEqual([]);
  const others = rows.filter((row) => row.role === 'started' && !tools.includes(row));
  expect(others.map(({ command }) => command)).toEqual([]);
}

/** What carries a mark of a tool call, or is below such a one, is labelled with it; that of claude says what it is for. */
function expectLabels(rows: readonly Row[], { descriptions }: Scenario): void {
  const started = rows.filter(({ role }) => role === 'started');
  for (const [marker, description] of Object.entries(descriptions)) {
    const labels = started.filter(({ command }) => command.includes(marker)).map(({ label }) => label);
    expect(labels, marker).not.toEqual([]);
    for (const label of labels)
      expect(label, marker).toMatchObject({ description, toolId: expect.stringMatching(/^toolu_/) });
  }
  expect(started.filter(({ evidence, label }) => evidence.kind !== 'rule' && label === null)).toEqual([]);
}

/** One id for each call, on all of its processes. */
function expectCallIds(rows: readonly Row[]): void {
  const marked = rows.filter(({ role, evidence }) => role === 'started' && evidence.kind !== 'rule');
  expect(marked).not.toEqual([]);
  expect(marked.filter(({ label }) => !/^call_\d+_\d+$/.test(label?.toolId ?? ''))).toEqual([]);
  for (const { pid, label } of marked) {
    const below = marked.filter(({ parentPid }) => parentPid === pid);
    expect(below.map((row) => row.label?.toolId)).toEqual(below.map(() => label?.toolId));
  }
}

/** The table that this suite is for; it is also what one wants to see when it fails. */
function print(rows: readonly Row[]): void {
  for (const { pid, parentPid, sid, role, because, evidence, label, entry, command } of rows) {
    const call = label === null ? '-' : `"${label.description ?? ''}" ${label.toolId ?? label.callId}`;
    const cells = [pid, parentPid, sid, role.padEnd(8), evidence.kind.padEnd(8), because.padEnd(24), call.padEnd(30)];
    const text = command.replaceAll('\n', ' ').slice(0, 80);
    process.stdout.write(
      `${[...cells, (evidence.taskId ?? '-').padEnd(9), (entry ?? '-').padEnd(3), text].join('  ')}\n`,
    );
  }
}
