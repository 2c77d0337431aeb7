import { describe, expect, it } from 'vitest';
import { bins, createRig } from '../helpers/cli.ts';
import { compileSchema, findFaults } from '../helpers/json-schema.ts';
import { startBlock } from '../helpers/live-block.ts';
import { endProcess } from '../helpers/processes.ts';
import { readRow } from '../helpers/procfs.ts';
import { trackers } from '../helpers/reader.ts';
import { waitFor } from '../helpers/wait-for.ts';

describe.each(trackers)('agentmux wait (tracker %s)', (tracker) => {
  it('waits for the agent, prints nothing, and says as JSON how long it took', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1', '--leftovers', 'keep');
    await agent.startTool('exec sleep 4301');
    const waiting = rig.agentmux('wait', '--block', 'b1', '--json').start();
    await waitFor('it to wait', () => readRow(waiting.pid)?.state === 'S');
    agent.exit(0);
    const { stdout, stderr, status } = await waiting.ended();
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    const document: unknown = JSON.parse(stdout);
    expect(findFaults(compileSchema('wait'), document)).toEqual([]);
    expect(document).toMatchObject({ blockId: 'b1', until: 'exited' });
    await rig.agentmux('wait', '--block', 'b1').run();
  });

  it('waits until nothing of the block lives', async () => {
    const rig = createRig({ tracker });
    const { agent, wrapper } = await startBlock(rig, 'b1', '--leftovers', 'keep');
    const tool = await agent.startTool('exec sleep 4302');
    agent.exit(0);
    await wrapper.exited();
    await rig
      .agentmux('wait', '--until', 'empty', '--timeout', '300ms', '--block', 'b1')
      .stderr(/^error: waited 300 ms for "b1", of which 1 process still live\nhint: agentmux ps --all --block b1\n$/)
      .status(124)
      .run();
    // 0 is no limit.
    const waiting = rig.agentmux('wait', '--until', 'empty', '--timeout', '0', '--block', 'b1').start();
    await waitFor('it to wait', () => readRow(waiting.pid)?.state === 'S');
    endProcess(tool);
    expect(await waiting.ended()).toMatchObject({ stdout: '', stderr: '', status: 0 });
  });

  it('waits until a member listens on a port, and gives up when the block has ended without', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const port = 20_000 + (process.pid % 20_000);
    const waiting = rig.agentmux('wait', '--until', `port=${port}`, '--block', 'b1').start();
    await agent.startTool(`exec python3 -m http.server ${port} --bind 127.0.0.1 >/dev/null 2>&1`);
    expect(await waiting.ended()).toMatchObject({ stdout: '', stderr: '', status: 0 });
    const vain = rig.agentmux('wait', '--until', 'port=1', '--block', 'b1').start();
    await waitFor('it to wait', () => readRow(vain.pid)?.state === 'S');
    await rig.agentmux('kill-tree', '--block', 'b1', '--grace', '0').stdout(/./).stderr(/./).run();
    const { status, stderr } = await vain.ended();
    expect(status).toBe(1);
    expect(stderr).toBe('error: block "b1" has ended, and no member listened on port 1\n');
  });

  it('refuses to wait inside a block for its own end', async () => {
    const rig = createRig({ tracker });
    await rig
      .run('--block', 'b1', '--', process.execPath, bins.agentmux, 'wait', '--until', 'empty')
      .stderr(/^error: this runs inside "b1"/)
      .status(5)
      .run();
  });
});

describe('agentmux wait', () => {
  it('does not say of an untracked block that it is empty', async () => {
    const rig = createRig();
    const { agent, wrapper } = await startBlock(rig, 't1', '--terminal');
    for (const until of ['empty', 'port=80']) {
      await rig
        .agentmux('wait', '--until', until, '--block', 't1')
        .stderr(/is not tracked/)
        .status(5)
        .run();
    }
    agent.exit(0);
    await wrapper.exited();
    await rig.agentmux('wait', '--block', 't1').run();
  });
});
