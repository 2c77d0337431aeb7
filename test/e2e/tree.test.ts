import { describe, expect, it } from 'vitest';
import { bins, createRig, type Rig } from '../helpers/cli.ts';
import { startBlock } from '../helpers/live-block.ts';
import { isNativeReader, orphanCommand } from '../helpers/reader.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** Waits until the tree matches, and returns it. */
const seenTree = (rig: Rig, pattern: RegExp, ...args: string[]): Promise<string> =>
  waitFor(`a tree with ${pattern}`, async () => {
    const { stdout } = await rig
      .agentmux('tree', ...args)
      .stdout(/[\s\S]*/)
      .stderr(/[\s\S]*/)
      .run();
    return pattern.test(stdout) && stdout;
  });

describe('agentmux tree', () => {
  it('shows the agent with what it started below it, and its helpers with --all', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('sleep 401 & sleep 402; true');
    const helper = await agent.startPlumbing('sleep', '403');
    const tree = await seenTree(rig, /sleep 402$/m);
    const [block, root, shell, ...leaves] = tree.trimEnd().split('\n');
    const memory = isNativeReader ? '.* MiB, ' : '';
    expect(block).toMatch(new RegExp(`^b1: running, 5 processes, 3 agent-started, ${memory}oldest \\d+s$`));
    expect(root).toMatch(/^└─ \d+ {2}\d+s {2}.* {2}root {2}.*fake-agent/);
    expect(shell).toMatch(new RegExp(`^   └─ ${tool} `));
    expect(leaves.map((line) => line.replace(/\d+ .* {2}/, 'PID '))).toEqual([
      '      ├─ PID sleep 401',
      '      └─ PID sleep 402',
    ]);
    expect(tree).not.toContain('sleep 403');
    expect(await seenTree(rig, /sleep 403$/m, '--all')).toMatch(new RegExp(`${helper} .*plumbing {2}sleep 403`));
  });

  it('folds equal processes, with how many and the oldest age', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool(`for i in 1 2 3 4 5 6 7 8; do ${orphanCommand('sleep 404')}; done; sleep 405; true`);
    await seenTree(rig, /^└─ \d+ ×8 {2}oldest \d+s {2}.* {2}orphan {2}p1-p8 {2}sleep 404$/m);
    const ascii = await rig
      .agentmux('tree')
      .env('LANG', 'C')
      .stdout(/^`- \d+ x8 {2}oldest /m)
      .run();
    expect(ascii.stdout).toMatch(/^[\n\x20-\x7e]*$/);
  });

  it('hangs a block that was started inside another where it was started', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'outer');
    await agent.startTool(`${process.execPath} ${bins.agentmuxRun} sh -c 'sleep 406 & sleep 407; true'; true`);
    const tree = await seenTree(rig, /: running, 3 processes[\s\S]*sleep 407$/m);
    const lines = tree.split('\n');
    const at = lines.findIndex((line) => /^ +└─ sh-[a-z0-9]{4}: running, /.test(line));
    expect(lines[at - 1]).toMatch(/agentmux-run\.js sh -c/);
    expect(lines[at + 1]).toMatch(/root {2}sh -c/);
    expect(tree.match(/sleep 406$/gm)).toHaveLength(1);
    const document = await rig.agentmux('tree', '--json').json<{ blocks: { id: string; parentId: string | null }[] }>();
    expect(document.blocks.map((block) => block.parentId)).toEqual([null, 'outer']);
  });

  it('says how to end what an agent left', async () => {
    const rig = createRig();
    const { agent, wrapper } = await startBlock(rig, 'b1');
    await agent.startTool(`${orphanCommand('sleep 408')}; true`);
    await seenTree(rig, /sleep 408/);
    agent.exit(0);
    await wrapper.exited();
    await seenTree(
      rig,
      /^b1: ended, 1 left, (.*, )?end it: agentmux kill-tree --block b1\n└─ \d+ .*orphan {2}p1 {2}sleep 408\n$/,
    );
  });

  it('prints nothing but a note where nothing runs', async () => {
    await createRig().agentmux('tree').stderr('no blocks: agentmux-run COMMAND starts one\n').run();
  });
});
