import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { compileSchema, findFaults } from '../helpers/json-schema.ts';
import { startBlock } from '../helpers/live-block.ts';

const listFiles = (rig: Rig) =>
  readdirSync(join(rig.stateDirectory, 'blocks'))
    .filter((name) => name.endsWith('.json'))
    .sort();

// Other tests may have left an empty cgroup beside ours a minute ago.
const NOTHING = /^(nothing to prune|removed \d+ empty cgroups?)\n$/;

describe('agentmux prune', () => {
  it('forgets what has ended and is old enough, and nothing that lives', async () => {
    const rig = createRig();
    await rig.run('--block', 'old', '--', 'true').run();
    const live = await startBlock(rig, 'live');
    const { agent, wrapper } = await startBlock(rig, 'left', '--leftovers', 'keep');
    await agent.startTool('exec sleep 4401');
    agent.exit(0);
    await wrapper.exited();
    await rig.agentmux('prune').stderr(NOTHING).run();
    await rig.agentmux('prune', '--older-than', '0', '--dry-run').stdout('old\n').stderr('would prune 1 block\n').run();
    expect(listFiles(rig)).toEqual(['left.json', 'live.json', 'old.json']);
    const { stdout } = await rig.agentmux('prune', '--older-than', '0', '--json').stdout(anything).run();
    const document: unknown = JSON.parse(stdout);
    expect(findFaults(compileSchema('prune'), document)).toEqual([]);
    expect(document).toMatchObject({ dryRun: false, pruned: [{ id: 'old' }], warnings: [] });
    expect(listFiles(rig)).toEqual(['left.json', 'live.json']);
    await live.agent.inspect();
  });

  it('lets records stay that cannot be read, and those of another machine', async () => {
    const rig = createRig();
    await rig.run('--block', 'torn', '--', 'true').run();
    await rig.run('--block', 'far', '--', 'true').run();
    const path = (id: string) => join(rig.stateDirectory, 'blocks', `${id}.json`);
    writeFileSync(path('torn'), '{"sch');
    const far = JSON.parse(readFileSync(path('far'), 'utf8')) as Record<string, unknown>;
    writeFileSync(path('far'), JSON.stringify({ ...far, machineId: 'f'.repeat(32) }));
    await rig
      .agentmux('prune', '--older-than', '0')
      .stderr(/^warning: .*torn\.json stays \(torn\): [^\n]+\n(nothing to prune|removed \d+ empty cgroups?)\n$/)
      .run();
    expect(listFiles(rig)).toEqual(['far.json', 'torn.json']);
  });
});
