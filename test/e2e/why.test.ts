import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { compileSchema, findFaults, withoutEachField } from '../helpers/json-schema.ts';
import { startBlock } from '../helpers/live-block.ts';
import { endProcess, startSleeper } from '../helpers/processes.ts';
import { isAlive, readRow } from '../helpers/procfs.ts';
import { orphanCommand, untilSeen } from '../helpers/reader.ts';
import { isRoot, itIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';

interface Answer {
  readonly kind: string;
  readonly pid: number;
  readonly startTicks: number;
  readonly cwd: string;
  readonly worktree: unknown;
  readonly listeners: readonly { readonly port: number }[];
  readonly below: { readonly processes: number; readonly ports: readonly number[] };
  readonly block: { readonly id: string; readonly status: string } | null;
  readonly membership: { readonly role: string; readonly confidence: string } | null;
  readonly call: { readonly description: string | null; readonly command: string | null } | null;
  readonly ancestry: readonly {
    readonly pid: number | null;
    readonly link: string;
    readonly status: string;
    readonly role: string | null;
  }[];
  readonly end: { readonly command: string };
}

const ask = async (rig: Rig, target: string): Promise<Answer> => {
  const { answers } = await rig.agentmux('why', '--json', target).json<{ readonly answers: readonly Answer[] }>();
  return answers[0] as Answer;
};

const rowsOf = async (rig: Rig, id: string) =>
  (
    await rig
      .agentmux('ps', '--json', '--all', '--block', id)
      .stderr(/[\s\S]*/)
      .json<{ rows: { pid: number; command: string; role: string }[] }>()
  ).rows;

const seenPid = (rig: Rig, id: string, command: string): Promise<number> =>
  waitFor(`"${command}"`, async () => (await rowsOf(rig, id)).find((row) => row.command === command)?.pid);

describe('agentmux why', () => {
  it('takes an entry by its id, and knows none that was never given', async () => {
    const rig = createRig();
    const script = `setsid sleep 77001 >/dev/null 2>&1 & ${untilSeen}exit 0`;
    await rig.run('--block', 'left', '--leftovers', 'keep', 'sh', '-c', script).run();
    const answer = await ask(rig, 'p1');
    expect(answer.block).toMatchObject({ id: 'left', status: 'leftovers' });
    expect(isAlive(answer.pid)).toBe(true);
    await rig
      .agentmux('why', 'p9')
      .status(3)
      .stderr(/^error: no entry "p9" of a live block\n/)
      .run();
  });

  it('tells of a tool process its block, who started it up to the top, where it runs, and how to end it', async () => {
    const rig = createRig();
    const app = join(rig.workDirectory, 'app');
    mkdirSync(join(app, '.git'), { recursive: true });
    writeFileSync(join(app, '.git', 'HEAD'), 'ref: refs/heads/topic\n');
    const { agent, wrapper } = await startBlock(rig, 'b1');
    const tool = await agent.startTool(`cd '${app}'; sleep 311; true`);
    const pid = await seenPid(rig, 'b1', 'sleep 311');
    const answer = await ask(rig, String(pid));
    const root = (await rowsOf(rig, 'b1')).find(({ role }) => role === 'root')?.pid;
    expect(answer).toMatchObject({
      ...{ kind: 'member', pid, cwd: app, worktree: { path: app, branch: 'topic', isLinked: false } },
      ...{ block: { id: 'b1', status: 'running' }, membership: { role: 'started' } },
      end: { command: `agentmux kill ${pid}`, note: null },
    });
    expect(answer.ancestry.slice(0, 5).map(({ pid: ancestor, link }) => [ancestor, link])).toEqual([
      ...[
        [pid, 'self'],
        [tool, 'parent'],
        [root, 'parent'],
        [wrapper.pid, 'wrapper'],
        [process.pid, 'parent'],
      ],
    ]);
    const { stdout } = await rig.agentmux('why', `${pid}:${answer.startTicks}`).stdout(/./).run();
    expect(stdout).toMatch(new RegExp(`^pid ${pid}: started by the agent of block b1\n  command    sleep 311\n`));
    expect(stdout).toMatch(new RegExp(`\n  directory  ${app} \\(git work tree ${app}, branch topic\\)\n`));
    expect(stdout).toMatch(new RegExp(`\n             ${wrapper.pid} .*agentmux-run.* \\(agentmux-run\\)\n`));
    expect(stdout).toMatch(new RegExp(`\n  end it     agentmux kill ${pid}\n$`));
  });

  it('tells the tool call that a process belongs to', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('sleep 317; true');
    const pid = await seenPid(rig, 'b1', 'sleep 317');
    const calls = join(rig.stateDirectory, 'calls', 'b1');
    mkdirSync(calls, { recursive: true, mode: 0o700 });
    const report = { op: 'call', tool_id: 'toolu_1', pid: tool, description: 'Wait a while --token=hush' };
    writeFileSync(join(calls, 'report.1'), `${JSON.stringify(report)}\n`);
    expect((await ask(rig, String(pid))).call).toMatchObject({
      description: 'Wait a while --token=***',
      toolId: 'toolu_1',
    });
    const { stdout } = await rig.agentmux('why', String(pid)).stdout(/./).run();
    expect(stdout).toMatch(/\n {2}call {7}Wait a while --token=\*\*\* \(toolu_1\)/);
  });

  it('names parents that have exited as such', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool(`${orphanCommand('sleep 312')}; sleep 313; true`);
    const pid = await seenPid(rig, 'b1', 'sleep 312');
    await waitFor('the parent to exit', async () =>
      (await ask(rig, String(pid))).ancestry.some(({ status }) => status === 'exited'),
    );
    const { ancestry } = await ask(rig, String(pid));
    expect(ancestry.map(({ link }) => link)).toContain('root');
    expect(ancestry.map(({ link }) => link)).toContain('wrapper');
    for (const { pid: gone } of ancestry.filter(({ status }) => status === 'exited')) {
      if (gone !== null) expect(isAlive(gone)).toBe(false);
    }
    const { stdout } = await rig.agentmux('why', String(pid)).stdout(/./).run();
    expect(stdout).toMatch(/\n {2}ancestry {3}(\d+ has exited: |its parent has exited)/);
  });

  it('still tells of the agent and of agentmux-run when both have been killed', async () => {
    const rig = createRig();
    const { agent, wrapper } = await startBlock(rig, 'b1');
    await agent.startTool('sleep 314; true');
    const pid = await seenPid(rig, 'b1', 'sleep 314');
    const root = (await rowsOf(rig, 'b1')).find(({ role }) => role === 'root')?.pid ?? 0;
    for (const victim of [wrapper.pid, root]) endProcess(victim);
    await waitFor('their end', () => !isAlive(root) && !isAlive(wrapper.pid));
    const { ancestry, block } = await ask(rig, String(pid));
    expect(block).toMatchObject({ id: 'b1', status: 'wrapper-gone' });
    expect(ancestry).toContainEqual(expect.objectContaining({ pid: root, link: 'root', status: 'exited' }));
    expect(ancestry).toContainEqual(expect.objectContaining({ pid: wrapper.pid, link: 'wrapper', status: 'exited' }));
  });

  it('finds the server behind a port, and of its shell the port below', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const serve = 'import socket,time;s=socket.create_server(("127.0.0.1",0));time.sleep(300)';
    const tool = await agent.startTool(`python3 -c '${serve}'; true`);
    const port = await waitFor('the port', async () => (await ask(rig, String(tool))).below.ports[0]);
    const server = await ask(rig, `:${port}`);
    expect(readRow(server.pid)?.ppid).toBe(tool);
    expect(server.listeners).toMatchObject([{ port }]);
    expect((await ask(rig, String(tool))).end).toEqual({
      command: `agentmux kill ${tool}`,
      note: 'what descends from it ends too (--only leaves that alone)',
    });
  });

  it('knows the agent and its agentmux-run, which a kill-tree ends', async () => {
    const rig = createRig();
    const { wrapper } = await startBlock(rig, 'b1');
    const root = await waitFor('the agent', async () => (await rowsOf(rig, 'b1'))[0]?.pid);
    expect(await ask(rig, String(root))).toMatchObject({ kind: 'member', membership: { role: 'root' } });
    const answer = await ask(rig, String(wrapper.pid));
    expect(answer).toMatchObject({ kind: 'wrapper', block: { id: 'b1' }, membership: null });
    expect(answer.end.command).toBe('agentmux kill-tree --block b1');
  });

  it('tells of a process that is nobody’s who started it', async () => {
    const rig = createRig();
    const { pid } = startSleeper();
    const answer = await ask(rig, String(pid));
    expect(answer).toMatchObject({ kind: 'untracked', block: null, membership: null, end: { command: `kill ${pid}` } });
    expect(answer.ancestry[1]).toMatchObject({ pid: process.pid, link: 'parent' });
    const { stdout } = await rig.agentmux('why', String(pid)).stdout(/./).run();
    expect(stdout).toMatch(new RegExp(`^pid ${pid}: not tracked: started by .* \\(pid ${process.pid}\\)\n`));
  });

  it('is what its schema says, for members and others', async () => {
    const rig = createRig({ tracker: 'scan' });
    const validate = compileSchema('why');
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('sleep 315; true');
    await seenPid(rig, 'b1', 'sleep 315');
    for (const pid of [tool, process.pid, 1]) {
      const document = await rig.agentmux('why', '--json', String(pid)).json();
      expect(findFaults(validate, document)).toEqual([]);
      expect(withoutEachField(document).filter((without) => validate(without.document))).toEqual([]);
    }
  });

  it.each([
    ['0', 2, /"0" is no process/],
    ['x', 2, /"x" is no process/],
    [':0', 2, /is no port/],
    ['2147483646', 3, /^error: no process 2147483646 lives\nhint: agentmux ps/],
    [`${process.pid}:1`, 3, /has exited, and pid \d+ belongs to another one now/],
    [':1', 3, /^error: nothing listens on port 1\n/],
  ])('answers %s with %i', async (target, status, stderr) => {
    await createRig().agentmux('why', target).status(status).stderr(stderr).run();
  });

  it('says of a member that has exited whose it was', async () => {
    const rig = createRig({ tracker: 'scan' });
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('sleep 316; true');
    await rig
      .agentmux('kill', '--grace', '0', String(tool))
      .stdout(/./)
      .stderr(/[\s\S]*/)
      .run();
    await waitFor('its end', () => !isAlive(tool));
    await rig
      .agentmux('why', String(tool))
      .status(3)
      .stderr(/lives: a member of block "b1" had that pid and has exited|has exited, and its parent/)
      .run();
  });

  itIf(isRoot, 'needs root, to be another user', "says what can be seen of another user's process", async () => {
    const { pid } = startSleeper();
    const answer = await ask(createRig({ uid: 65534 }), String(pid));
    expect(answer).toMatchObject({ kind: 'untracked', cwd: null, worktree: null });
  });
});
