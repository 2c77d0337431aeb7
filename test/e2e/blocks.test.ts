import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { startBlock } from '../helpers/live-block.ts';
import { isNativeReader, memoryPattern, orphanCommand } from '../helpers/reader.ts';
import { waitFor } from '../helpers/wait-for.ts';

interface Block {
  readonly id: string;
  readonly status: string;
  readonly agentStarted: number | null;
  readonly processes: number | null;
  readonly cpuMs: number | null;
  readonly privateBytes: number | null;
  readonly ports: readonly number[] | null;
  readonly redacted: boolean;
  readonly tracker: { readonly type: string; readonly confidence: string };
}

interface Document {
  readonly blocks: readonly Block[];
  readonly warnings: readonly { readonly id: string; readonly reason: string }[];
}

/** Waits until the one block that is listed is as wanted, and returns it. */
const seenBlock = (rig: Rig, what: string, isWanted: (block: Block) => boolean): Promise<Block> =>
  waitFor(what, async () => (await rig.agentmux('blocks', '--json').json<Document>()).blocks.find(isWanted));

describe('agentmux blocks', () => {
  it('shows what each agent started and what it costs', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool("python3 -m http.server 0 --bind 127.0.0.1; sleep 1 # a tool's server");
    await agent.startPlumbing('sleep', '501');
    const block = await seenBlock(rig, 'a port', ({ ports }) => ports?.length === 1);
    expect(block).toMatchObject({ id: 'b1', status: 'running', agentStarted: 2, processes: 4 });
    // By `ps` in whole seconds, and no memory of its own.
    expect(block.cpuMs).toBeGreaterThan(isNativeReader ? 0 : -1);
    expect(block.privateBytes ?? 0).toBeGreaterThan(isNativeReader ? 1_000_000 : -1);
    const { stdout } = await rig.agentmux('blocks').stdout(/./).run();
    expect(stdout).toMatch(
      new RegExp(`^b1 +- +running +.* \\d+s ago +2/4 +.*${memoryPattern} +${block.ports?.[0]} +`, 'm'),
    );
    await rig.agentmux('blocks', '-q').stdout('b1\n').run();
    expect((await rig.agentmux('blocks', '--json', '--no-ports').json<Document>()).blocks[0]?.ports).toBeNull();
  });

  it('tells a run, its leftovers and its end apart', async () => {
    const rig = createRig();
    const { agent, wrapper } = await startBlock(rig, 'b1');
    await agent.startTool(`${orphanCommand('sleep 502')}; true`);
    await seenBlock(rig, 'the daemon', ({ processes }) => processes === 2);
    agent.exit(0);
    await wrapper.exited();
    await rig
      .agentmux('blocks')
      .stdout(/^b1 .* ended, 1 left /m)
      .run();
    await rig
      .agentmux('kill-tree', '--block', 'b1', '--grace', '0')
      .stdout(/./)
      .stderr(/[\s\S]*/)
      .run();
    await rig.agentmux('blocks').stderr('no live blocks: agentmux blocks --all shows those that ended\n').run();
    await rig
      .agentmux('blocks', '--all')
      .stdout(/^b1 .* ended /m)
      .run();
  });

  it('shows a block whose agentmux-run was killed, with what lives', async () => {
    const rig = createRig();
    const { wrapper } = await startBlock(rig, 'b1');
    wrapper.kill('SIGKILL');
    await wrapper.exited();
    await rig
      .agentmux('blocks')
      .stdout(/^b1 .* wrapper gone, 1 alive /m)
      .run();
  });

  it('knows nothing of what is not tracked', async () => {
    const rig = createRig();
    await startBlock(rig, 't1', '--terminal');
    await rig
      .agentmux('blocks')
      .stdout(/^t1 .* running, not tracked +none .* - +- +- +/m)
      .run();
    const block = await seenBlock(rig, 'the block', ({ id }) => id === 't1');
    expect(block).toMatchObject({ agentStarted: null, processes: null, cpuMs: null, privateBytes: null, ports: null });
  });

  it('hides secrets in command lines', async () => {
    const rig = createRig();
    const running = rig.run('--block', 'b1', 'sh', '-c', 'sleep 503; true', '--token', 'hunter2secret').start();
    const block = await seenBlock(rig, 'the block', ({ status }) => status === 'running');
    expect(block.redacted).toBe(true);
    expect(JSON.stringify(block)).not.toContain('hunter2secret');
    await rig
      .agentmux('blocks', '--no-redact')
      .stdout(/hunter2secret/)
      .run();
    running.kill('SIGTERM');
    await running.exited();
  });

  it('warns of state files that it cannot read, and goes on', async () => {
    const rig = createRig();
    await startBlock(rig, 'b1');
    mkdirSync(join(rig.stateDirectory, 'blocks'), { recursive: true });
    writeFileSync(join(rig.stateDirectory, 'blocks', 'torn.json'), '{"schemaVersion": 1, "id": "to');
    const warning = /^warning: \S*torn\.json is not used \(torn\): .+\n$/;
    await seenBlock(rig, 'the block', ({ status }) => status === 'running').catch(() => undefined);
    await rig
      .agentmux('blocks')
      .stdout(/^b1 .*running/m)
      .stderr(warning)
      .run();
    const { stdout } = await rig.agentmux('blocks', '--json').stdout(/./).stderr(warning).run();
    expect((JSON.parse(stdout) as Document).warnings).toMatchObject([{ id: 'torn', reason: 'torn' }]);
  });

  it('shows a record of another machine as such, and never as running', async () => {
    const rig = createRig();
    const { agent, wrapper } = await startBlock(rig, 'b1');
    const [record] = await waitFor('the record', async () => {
      const { stdout } = await rig
        .command('cat', join(rig.stateDirectory, 'blocks', 'b1.json'))
        .stdout(/[\s\S]*/)
        .run();
      return stdout.includes('"running"') && [JSON.parse(stdout) as object];
    });
    const foreign = { ...record, id: 'far', tag: '0'.repeat(32), machineId: 'another' };
    writeFileSync(join(rig.stateDirectory, 'blocks', 'far.json'), JSON.stringify(foreign), { mode: 0o600 });
    await rig
      .agentmux('blocks')
      .stdout(/^far .* on another machine or in another pid namespace /m)
      .run();
    await rig
      .agentmux('ps', '--block', 'far')
      .stderr(/^far: on another machine/)
      .run();
    agent.exit(0);
    await wrapper.ended();
  });
});
