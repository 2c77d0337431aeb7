import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createRig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { compileSchema, findFaults } from '../helpers/json-schema.ts';
import { type LiveBlock, startBlock } from '../helpers/live-block.ts';
import { isNativeReader, surestTrackers } from '../helpers/reader.ts';
import { isRoot, itIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';

const threadsOf = (pid: number) => readdirSync(`/proc/${pid}/task`).map(Number);
const nicesOf = (pids: readonly number[]) => [...new Set(pids.flatMap(threadsOf).map((id) => getPriority(id)))];

const pidOf = async ({ agent }: LiveBlock) => (await agent.inspect()).pid;

describe.each(surestTrackers)('agentmux priority, tracked by %s', (tracker) => {
  it('lowers every thread of every member, and what they start inherits it', async () => {
    const rig = createRig({ tracker });
    const { agent, wrapper } = await startBlock(rig, 'b1');
    const { pid: agentPid } = await agent.inspect();
    const before = await agent.startTool('sleep 300 & sleep 300');
    const lower = rig.agentmux('priority', 'below-normal');
    await lower.stdout(/^\d+ processes of b1 run at below-normal priority now, and what they start\n$/).run();
    const after = await agent.startTool('exec sleep 300');
    expect(threadsOf(agentPid).length).toBeGreaterThan(1);
    expect(nicesOf([agentPid, before, after])).toEqual([10]);
    expect(nicesOf([wrapper.pid ?? 0])).toEqual([0]);
    await rig.agentmux('kill-tree').stdout(anything).stderr(anything).run();
  });

  it('says in JSON whom it reached', async () => {
    const rig = createRig({ tracker });
    const agentPid = await pidOf(await startBlock(rig, 'b1'));
    const { stdout } = await rig.agentmux('priority', '--json', '--block', 'b1', 'below-normal').stdout(anything).run();
    const document = JSON.parse(stdout);
    expect(findFaults(compileSchema('priority'), document)).toEqual([]);
    expect(document).toMatchObject({ blockId: 'b1', priority: 'below-normal', ok: true, refused: [], command: null });
    expect(document.pids).toContain(agentPid);
  });
});

describe('raising it again', () => {
  itIf(isRoot, 'needs root', 'is done for root', async () => {
    const rig = createRig();
    const agentPid = await pidOf(await startBlock(rig, 'b1'));
    await rig.agentmux('priority', 'below-normal').stdout(anything).run();
    await rig
      .agentmux('priority', 'normal')
      .stdout(/ run(s)? at normal priority now/)
      .run();
    expect(nicesOf([agentPid])).toEqual([0]);
  });

  itIf(isRoot, 'needs root', 'is refused to others, who are told what to type', async () => {
    const rig = createRig({ uid: 65534, tracker: 'scan' });
    rig.run('--block', 'b1', 'sleep', '300').start();
    const agentPid = await waitFor('the agent', async () => {
      const { stdout } = await rig.agentmux('ps', '--all', '-q').stdout(anything).stderr(anything).run();
      return Number.parseInt(stdout, 10) || undefined;
    });
    await rig.agentmux('priority', '--block', 'b1', 'below-normal').stdout(anything).run();
    // Elsewhere the priority is that of a process.
    const threads = isNativeReader ? '\\$\\(ps -L -o lwp= -p \\d+\\)' : '\\d+';
    await rig
      .agentmux('priority', '--block', 'b1', 'normal')
      .status(4)
      .stderr(
        new RegExp(
          `^1 process of b1 cannot be set to normal priority \\(EACCES\\): only root may raise it again\nto do it: sudo renice 0 -p ${threads}\n$`,
        ),
      )
      .run();
    expect(nicesOf([agentPid])).toEqual([10]);
  });
});

describe('agentmux-run --priority', () => {
  it('starts the agent below normal, and stays as it is itself', async () => {
    const rig = createRig();
    const { agent, wrapper } = await startBlock(rig, 'b1', '--priority', 'below-normal');
    expect(nicesOf([(await agent.inspect()).pid])).toEqual([10]);
    expect(nicesOf([wrapper.pid ?? 0])).toEqual([0]);
  });

  it('refuses what is no priority', async () => {
    const rig = createRig();
    const call = rig.run('--priority', 'high', 'true').status(125);
    await call.stderr(/^agentmux-run: --priority is one of below-normal, normal, not "high"\n/).run();
    const other = rig.agentmux('priority', 'high').status(2);
    await other.stderr(/^error: a priority is one of below-normal, normal, not "high"\n/).run();
  });
});
