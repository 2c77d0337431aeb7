import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { killJson } from '../helpers/kill-json.ts';
import { startBlock } from '../helpers/live-block.ts';
import { surestTrackers, untilSeen } from '../helpers/reader.ts';
import { findSleepers } from '../helpers/sleepers.ts';
import { waitFor } from '../helpers/wait-for.ts';

let markers = 0;
const marker = () => `4${process.pid}${String(markers++).padStart(3, '0')}`;

/** Writes the configuration where it is looked for. */
function configure(rig: Rig, config: object | string): string {
  const directory = join(rig.env['HOME'] ?? '', '.config', 'agentmux');
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'config.json');
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
  return file;
}

describe.each(surestTrackers)('what the configuration keeps, tracked by %s', (tracker) => {
  it('is not ended with its block: not at the end of a run, not by kill-tree, not by KILL at once', async () => {
    const rig = createRig({ tracker });
    configure(rig, { keep: ['gradle*'], leftovers: 'kill' });
    const [daemon, other] = [marker(), marker()];
    const script = `setsid bash -c 'exec -a gradle-daemon sleep ${daemon}' >/dev/null 2>&1 & setsid sleep ${other} & ${untilSeen}sleep 0.5`;
    const running = rig.run('--block', 'b1', 'sh', '-c', script).start();
    expect(await running.exited()).toBe(0);
    expect(running.stderr).toMatch(
      /^agentmux-run: ended 1 process of b1: .*\nagentmux-run: kept of b1: p\d \(.*gradle\*\)\n$/,
    );
    expect(findSleepers(other)).toEqual([]);
    await rig
      .agentmux('ps')
      .stdout(/ kept, persistent build daemon \(gradle --stop\) +gradle-daemon /)
      .run();
    for (const grace of ['1', '0']) {
      const call = rig
        .agentmux('kill-tree', '--block', 'b1', '--grace', grace)
        .stderr(/1 process is kept and not ended/);
      await call.run();
    }
    await rig
      .agentmux('release', 'p1')
      .stdout(anything)
      .stderr(/kept by "gradle\*" of the configuration/)
      .status(5)
      .run();
    await rig
      .agentmux('kill-tree', '--block', 'b1', '--including-kept')
      .stdout(/(exited|killed) .*gradle-daemon/)
      .run();
  });
});

describe('the configuration', () => {
  it('gives defaults, which the environment and flags override', async () => {
    const rig = createRig();
    configure(rig, { leftovers: 'kill', tracker: 'stub' });
    const policy = (...options: string[]) => rig.run(...options, '--dry-run', 'true');
    await policy()
      .stdout(/leftovers +kill\n/)
      .run();
    await policy()
      .stdout(/tracker +stub/)
      .run();
    await policy()
      .env('AGENTMUX_LEFTOVERS', 'keep')
      .stdout(/leftovers +keep\n/)
      .run();
    await policy('--leftovers', 'ask')
      .env('AGENTMUX_LEFTOVERS', 'keep')
      .stdout(/leftovers +ask\n/)
      .run();
    await policy()
      .env('AGENTMUX_CONFIG', '')
      .stdout(/leftovers +report\n/)
      .run();
  });

  it('gives the grace of a kill', async () => {
    const rig = createRig();
    configure(rig, { grace: '300ms' });
    const { agent } = await startBlock(rig, 'b1');
    // Would end by itself within the grace that is given where nothing is configured.
    const slow =
      'import signal,time;signal.signal(15,lambda *_:(time.sleep(2),exit()));open("ready","w");time.sleep(300)';
    const tool = await agent.startTool(`exec python3 -c '${slow}'`);
    await waitFor('it to listen', () => existsSync(join(rig.workDirectory, 'ready')));
    const { rows } = await killJson('kill-tree', rig, 0);
    expect(rows.find(({ pid }) => pid === tool)?.result).toBe('killed');
  });

  it.each([
    ['{"keep":"gradle"}', /"keep" is not a list/],
    ['{"lef', /it is no JSON/],
    ['{"leftover":"kill"}', /"leftover" is not one of the keys keep, leftovers, grace, tracker, labels/],
  ])('that is wrong (%s) stops agentmux with what is wrong, and agentmux-run only says so', async (text, problem) => {
    const rig = createRig();
    const file = configure(rig, text);
    await startBlock(rig, 'b1', '--quiet');
    const call = rig.agentmux('kill-tree').stderr(problem).status(1);
    expect((await call.run()).stderr).toContain(`error: the configuration "${file}" cannot be used`);
    const { stderr } = await rig.run('sh', '-c', 'exit 3').stderr(problem).status(3).run();
    expect(stderr).toContain(`agentmux-run: the configuration "${file}" is not used`);
    await rig.agentmux('kill-tree').env('AGENTMUX_CONFIG', '').stdout(anything).stderr(anything).run();
  });

  it('that AGENTMUX_CONFIG names must be there', async () => {
    const rig = createRig();
    const call = rig.agentmux('entries').env('AGENTMUX_CONFIG', '/nowhere/x.json');
    await call
      .stderr(/"\/nowhere\/x\.json" cannot be used: it cannot be read/)
      .status(1)
      .run();
  });

  it('is documented in the help', async () => {
    const rig = createRig();
    await rig
      .agentmux('--help')
      .stdout(/Configuration:\n {2}\$XDG_CONFIG_HOME\/agentmux\/config\.json/)
      .run();
  });
});
