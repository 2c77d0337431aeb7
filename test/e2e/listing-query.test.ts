import { describe, expect, it } from 'vitest';
import { createRig } from '../helpers/cli.ts';
import { startBlock } from '../helpers/live-block.ts';
import { waitFor } from '../helpers/wait-for.ts';

describe('--filter, --sort, --format and -q', () => {
  it('mean the same in blocks and in tree as in ps', async () => {
    const rig = createRig({ tracker: 'scan' });
    const ask = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await rig
        .agentmux(...args)
        .stdout(/[\s\S]*/)
        .stderr(/[\s\S]*/)
        .run();
      return stdout.split('\n').slice(0, -1);
    };
    for (const id of ['b1', 'b2']) {
      const { agent } = await startBlock(rig, id);
      await agent.startTool(`sleep 33${id.slice(1)} & sleep 340; true`);
    }
    const sleepers = ['tree', '--filter', 'command=sleep 340', '--format', '{{.depth}} {{.role}} {{.blockId}}'];
    const found = await waitFor('both', async () => {
      const lines = await ask(...sleepers);
      return lines.filter((line) => line.startsWith('2 ')).length === 2 && lines;
    });
    expect(found).toEqual([
      ...['0 root b1', '1 started b1', '2 started b1'],
      ...['0 root b2', '1 started b2', '2 started b2'],
    ]);
    const pids = await ask('ps', '-q', '--filter', 'command=sleep 331', '--filter', 'role=started');
    const inTree = await ask('tree', '-q', '--filter', 'command=sleep 331', '--filter', 'block=b1');
    expect(inTree).toEqual(expect.arrayContaining(pids));
    expect(inTree).toHaveLength(3);
    expect(await ask('blocks', '-q', '--sort', '-id')).toEqual(['b2', 'b1']);
    expect(await ask('blocks', '-q', '--filter', 'id=b1')).toEqual(['b1']);
    expect(await ask('blocks', '--format', '{{.id}}', '--filter', 'processes>100')).toEqual([]);
    await rig.agentmux('blocks', '--filter', 'status=ended').stderr('no block matches the filter\n').run();
    await rig
      .agentmux('blocks', '--filter', 'colour=red')
      .status(2)
      .stderr(/hint: keys: id agent /)
      .run();
    await rig
      .agentmux('tree', '--format', '{{.nope}}')
      .status(2)
      .stderr(/no field "nope"/)
      .run();
  });
});
