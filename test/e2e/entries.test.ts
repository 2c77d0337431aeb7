import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { compileSchema, findFaults, withoutEachField } from '../helpers/json-schema.ts';
import { startBlock } from '../helpers/live-block.ts';
import { surestTrackers, untilSeen } from '../helpers/reader.ts';
import { findSleepers } from '../helpers/sleepers.ts';
import { waitFor } from '../helpers/wait-for.ts';

let markers = 0;
const marker = () => `6${process.pid}${String(markers++).padStart(3, '0')}`;

interface EntryJson {
  readonly id: string;
  readonly source: string;
  readonly command: string;
  readonly status: string;
  readonly pid: number;
  readonly pids: readonly number[];
  readonly ports: readonly number[];
  readonly endedAtMs: number | null;
  readonly label: { readonly toolId: string | null; readonly description: string | null } | null;
}

async function readEntries(rig: Rig, ...args: string[]): Promise<readonly EntryJson[]> {
  const { entries } = await rig
    .agentmux('entries', '--json', ...args)
    .stderr(anything)
    .json<{ entries: EntryJson[] }>();
  return entries;
}

function waitForEntries(rig: Rig, count: number): Promise<readonly EntryJson[]> {
  return waitFor(`${count} entries`, async () => {
    const entries = await readEntries(rig);
    return entries.filter(({ pids }) => pids.length > 0).length === count ? entries : undefined;
  });
}

describe.each(surestTrackers)('entries, tracked by %s', (tracker) => {
  it('are what outlived its tool call: each keeps its id, and none is used again', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const [first, second] = [marker(), marker()];
    await agent.startTool(`sleep ${first} & ${untilSeen}exit 0`);
    const [entry] = await waitForEntries(rig, 1);
    expect(entry).toMatchObject({ id: 'p1', source: 'detached', command: `sleep ${first}`, status: 'running' });
    await agent.startTool(`setsid sleep ${second} & ${untilSeen}exit 0`);
    expect((await waitForEntries(rig, 2)).map(({ id }) => id)).toEqual(['p1', 'p2']);

    await rig
      .agentmux('kill', 'p1')
      .stdout(/exited +\d+/)
      .run();
    expect(findSleepers(first)).toEqual([]);
    expect(findSleepers(second)).toHaveLength(1);
    const [gone, left] = await readEntries(rig);
    expect(gone).toMatchObject({ id: 'p1', status: 'exited', ports: [], pids: [], endedAtMs: expect.any(Number) });
    expect(left).toMatchObject({ id: 'p2', status: 'running' });
    await rig
      .agentmux('kill', 'p1')
      .stdout(/already gone/)
      .run();
    await agent.startTool(`sleep ${first} & ${untilSeen}exit 0`);
    expect((await waitForEntries(rig, 2)).map(({ id }) => id)).toEqual(['p1', 'p2', 'p3']);
  });

  it('run on after their first process, with what it started', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const id = marker();
    await agent.startTool(`bash -c 'sleep ${id} & exec sleep 3600' & ${untilSeen}exit 0`);
    const [before] = await waitForEntries(rig, 1);
    expect(before?.pids).toHaveLength(2);
    await rig.agentmux('kill', '--only', String(before?.pid)).stdout(anything).stderr(anything).run();
    const [after] = await readEntries(rig);
    expect(after).toMatchObject({ id: 'p1', status: 'running', pids: findSleepers(id), pid: findSleepers(id)[0] });
  });

  it('are named with their call, which labels all of its processes', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const id = marker();
    await agent.startTool(callScript(rig, `sleep ${id}`, { description: 'Wait long', run_in_background: true }));
    const [entry] = await waitForEntries(rig, 1);
    expect(entry).toMatchObject({
      ...{ source: 'background', command: `sleep ${id}; true`, status: 'running' },
      label: { toolId: 'toolu_1', description: 'Wait long' },
    });
    const { rows } = await rig
      .agentmux('ps', '--json')
      .json<{ rows: { pid: number; entry: string; label: object }[] }>();
    const row = rows.find(({ pid }) => pid === findSleepers(id)[0]);
    expect(row).toMatchObject({ entry: 'p1', label: { toolId: 'toolu_1', command: `sleep ${id}; true` } });
    await rig
      .agentmux('ps')
      .stdout(/ENTRY +CALL .*\n.* p1 +Wait long /)
      .run();
    await rig
      .agentmux('tree')
      .stdout(/p1 {2}"Wait long"/)
      .run();
    await rig
      .agentmux('ps', '-q', '--filter', 'entry=p1')
      .stdout(/^(\d+:\d+\n)+$/)
      .run();
    await rig.agentmux('ps', '-q', '--filter', 'entry=p2').run();
  });
});

/** Has the hook and the shell prefix note a Bash call as claude would. */
function callScript(rig: Rig, command: string, input: object): string {
  const calls = join(rig.stateDirectory, 'calls', 'b1');
  mkdirSync(calls, { recursive: true, mode: 0o700 });
  const wrap = resolve('bin/agentmux-bashwrap');
  const hook = {
    ...{ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: 'toolu_1', session_id: 's1' },
    tool_input: { command: `${command}; true`, ...input },
  };
  const text = `source /nowhere/snapshot-bash-1.sh 2>/dev/null || true && eval '${command}; true' < /dev/null && pwd -P >| /dev/null`;
  return [
    `export AGENTMUX_CALLS=${calls} CLAUDE_CODE_SESSION_ID=s1 CLAUDE_PID=$PPID AI_AGENT=claude-code_2_agent`,
    `printf %s ${quote(JSON.stringify(hook))} | ${wrap} --hook`,
    `exec ${wrap} ${quote(text)}`,
  ].join('; ');
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

describe('entries', () => {
  it('that look the same are one line, with all their ids', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const id = marker();
    await agent.startTool(`for i in 1 2 3; do setsid sleep ${id} & done; exit 0`);
    await waitForEntries(rig, 3);
    await rig
      .agentmux('entries')
      .stdout(new RegExp(`^ENTRY .*\np1-p3 +detached +running .* sleep ${id} ×3\n$`))
      .run();
    await rig.agentmux('entries', '-q').stdout('p1\np2\np3\n').run();
  });

  it('have long commands clipped at 30 cells, and not with --no-trunc', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool(`bash -c 'exec -a a-name-that-is-longer-than-thirty-cells sleep 3600' & ${untilSeen}exit 0`);
    await waitForEntries(rig, 1);
    await rig
      .agentmux('entries')
      .stdout(/ a-name-that-is-longer-than-th…\n/)
      .run();
    await rig
      .agentmux('entries', '--no-trunc')
      .stdout(/ a-name-that-is-longer-than-thirty-cells 3600\n/)
      .run();
  });

  it('are ended by the port that one of their processes holds, with what that runs under', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool(
      `bash -c 'python3 -m http.server 0 --bind 127.0.0.1; true' >/dev/null 2>&1 & ${untilSeen}exit 0`,
    );
    const port = await waitFor('the port', async () => (await readEntries(rig))[0]?.ports[0]);
    await rig
      .agentmux('kill', `:${port}`)
      .stdout(anything)
      .stderr(/this ends 1 descendant too/)
      .run();
    await waitFor('its end', async () => (await readEntries(rig))[0]?.status === 'exited');
  });

  it('are the same for two readers at once', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool(`for i in 1 2 3 4; do setsid sleep 3600 & done; exit 0`);
    await waitFor('the shells', async () => findSleepers('3600').length >= 4);
    const both = await Promise.all([1, 2, 3, 4].map(() => readEntries(rig)));
    const named = both.map((entries) => entries.map(({ id, pid }) => `${id} ${pid}`).sort());
    for (const one of named) expect(one).toEqual(named[0]);
    expect(named[0]).toHaveLength(4);
  });

  it('that do not exist, and those of several blocks, are not ended', async () => {
    const rig = createRig();
    for (const block of ['b1', 'b2']) {
      const { agent } = await startBlock(rig, block);
      await agent.startTool(`sleep 3600 & ${untilSeen}exit 0`);
    }
    await waitForEntries(rig, 2);
    await rig
      .agentmux('kill', 'p9')
      .stderr(/^error: no entry "p9" of a live block\n/)
      .status(3)
      .run();
    const ambiguous = rig
      .agentmux('kill', 'p1')
      .stderr(/2 blocks have an entry "p1"[\s\S]*agentmux kill --block b2 p1/);
    await ambiguous.status(5).run();
    await rig
      .agentmux('kill', '--block', 'b2', 'p1')
      .stdout(/exited/)
      .run();
    expect((await readEntries(rig, '--block', 'b1'))[0]).toMatchObject({ status: 'running' });
  });

  it('stay in history as long as their block, and are no news after 30 seconds', async () => {
    const rig = createRig();
    await rig
      .run('--block', 'b1', '--leftovers', 'kill', 'sh', '-c', `setsid sleep 3600 & ${untilSeen}exit 0`)
      .stderr(anything)
      .run();
    await rig
      .agentmux('entries')
      .stderr(/no block has live processes/)
      .run();
    expect(await readEntries(rig, '--all')).toEqual([]);
    await rig
      .run('--block', 'b1', 'sh', '-c', `setsid sleep 3600 & ${untilSeen}exit 0`)
      .stderr(anything)
      .start()
      .exited();
    await rig.agentmux('kill-tree', '--block', 'b1').stdout(anything).run();
    expect(await readEntries(rig, '--all')).toMatchObject([{ id: 'p1', status: 'exited' }]);
  });

  it('are printed as the schema says', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool(callScript(rig, 'sleep 3600', { run_in_background: true }));
    await waitForEntries(rig, 1);
    const document = await rig.agentmux('entries', '--json').json();
    const validate = compileSchema('entries');
    expect(findFaults(validate, document)).toEqual([]);
    const unseen = withoutEachField(document).filter((without) => validate(without.document));
    expect(unseen.map(({ path }) => path)).toEqual([]);
    const fields = Object.keys((document as { entries: object[] }).entries[0] ?? {});
    const template = fields.map((field) => `{{.${field}}}`).join(' ');
    await rig
      .agentmux('entries', '--format', template)
      .stdout(/^b1 p1 background running /)
      .run();
  });
});
