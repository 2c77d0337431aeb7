import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { compileSchema, findFaults } from '../helpers/json-schema.ts';
import { startBlock } from '../helpers/live-block.ts';
import { surestTrackers, untilSeen } from '../helpers/reader.ts';
import { itIf } from '../helpers/skip.ts';
import { findSleepers } from '../helpers/sleepers.ts';
import { waitFor } from '../helpers/wait-for.ts';

let markers = 0;
const marker = () => `5${process.pid}${String(markers++).padStart(3, '0')}`;

/** A block with two entries, p1 and p2, each a shell with a child. */
async function startTwo(rig: Rig) {
  const { agent, wrapper } = await startBlock(rig, 'b1');
  const ids = [marker(), marker()] as const;
  for (const [index, id] of ids.entries()) {
    await agent.startTool(`setsid bash -c 'sleep ${id} & sleep ${id} & wait' & ${untilSeen}exit 0`);
    await waitFor(`entry ${index + 1}`, async () => {
      const { stdout } = await rig.agentmux('entries', '-q').stdout(anything).stderr(anything).run();
      return stdout.includes(`p${index + 1}\n`) && findSleepers(id).length === 2;
    });
  }
  return { agent, wrapper, ids };
}

function groupOf(pid: number | undefined): string {
  return /^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1] ?? '';
}

describe.each(surestTrackers)('what is kept, tracked by %s', (tracker) => {
  it('is spared by kill-tree, which says so, and ended with --including-kept', async () => {
    const rig = createRig({ tracker });
    const { ids } = await startTwo(rig);
    const [kept, other] = ids;
    await rig
      .agentmux('keep', 'p1', '--note', 'demo')
      .stdout(/^kept p1 of b1, 3 processes: sleep .*\n$/)
      .stderr(anything)
      .run();
    await rig
      .agentmux('entries')
      .stdout(/p1 .* kept: demo /)
      .run();
    await rig
      .agentmux('ps')
      .stdout(/ p1 +kept /)
      .run();
    const dry = rig
      .agentmux('kill-tree', '--dry-run')
      .stdout(anything)
      .stderr(/3 processes are kept and not ended/);
    await dry.run();
    const kill = rig.agentmux('kill-tree', '--grace', '1').stdout(anything);
    await kill
      .stderr(/3 processes are kept and not ended: [\s\S]*agentmux kill-tree --block b1 --including-kept/)
      .run();
    expect(findSleepers(kept)).toHaveLength(2);
    expect(findSleepers(other)).toEqual([]);
    await rig.agentmux('blocks').stdout(/b1 /).run();
    await rig
      .agentmux('kill-tree', '--block', 'b1', '--including-kept')
      .stdout(/exited/)
      .run();
    expect(findSleepers(kept)).toEqual([]);
  });

  it('is spared by KILL at once too, with what it starts meanwhile', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const id = marker();
    await agent.startTool(`setsid bash -c 'while :; do sleep 0.05; sleep 0.0${id}; done' & ${untilSeen}exit 0`);
    await waitFor(
      'the entry',
      async () => (await rig.agentmux('entries', '-q').stdout(anything).stderr(anything).run()).stdout,
    );
    await rig.agentmux('keep', 'p1').stdout(anything).stderr(anything).run();
    await rig.agentmux('kill-tree', '--grace', '0').stdout(anything).stderr(anything).run();
    // Of a sleep that has ended in this moment nobody has taken the status yet.
    const justEnded = /^(?:b1: 1 zombie, parent \d+\n)?$/;
    await rig
      .agentmux('ps', '-q', '--block', 'b1')
      .stdout(/\d+:\d+\n/)
      .stderr(justEnded)
      .run();
    await rig
      .agentmux('entries', '--block', 'b1')
      .stdout(/p1 .* running .* kept/)
      .stderr(justEnded)
      .run();
  });

  it('is spared at the end of the run, which names it, and is no leak', async () => {
    const rig = createRig({ tracker });
    const id = marker();
    const { agent, wrapper } = await startBlock(rig, 'b1', '--leftovers', 'kill', '--fail-on-leak');
    await agent.startTool(`setsid sleep ${id} >/dev/null 2>&1 & ${untilSeen}exit 0`);
    await waitFor(
      'the entry',
      async () => (await rig.agentmux('entries', '-q').stdout(anything).stderr(anything).run()).stdout,
    );
    await rig.agentmux('keep', 'p1', '--note', 'mine').stdout(anything).stderr(anything).run();
    agent.exit(0);
    expect(await wrapper.exited()).toBe(0);
    expect(wrapper.stderr).toBe(`agentmux-run: kept of b1: p1 (sleep ${id}, mine)\n`);
    expect(findSleepers(id)).toHaveLength(1);
    await rig
      .agentmux('blocks')
      .stdout(/b1 .* ended, 1 left /)
      .run();
  });

  it('is spared when the wrapper is told to end', async () => {
    const rig = createRig({ tracker });
    const { ids, wrapper } = await startTwo(rig);
    await rig.agentmux('keep', 'p2').stdout(anything).stderr(anything).run();
    wrapper.kill('SIGTERM');
    await wrapper.exited();
    expect(ids.map((id) => findSleepers(id).length)).toEqual([0, 2]);
  });

  it('can be a single process, and is ended by name all the same', async () => {
    const rig = createRig({ tracker });
    const { ids } = await startTwo(rig);
    const [one, two] = findSleepers(ids[0]);
    await rig
      .agentmux('keep', String(one))
      .stdout(`kept ${one} of b1, 1 process: sleep ${ids[0]}\n`)
      .stderr(anything)
      .run();
    await rig.agentmux('kill-tree', '--started').stdout(anything).stderr(anything).run();
    expect(findSleepers(ids[0])).toEqual([one]);
    expect(two).toBeDefined();
    await rig
      .agentmux('kill', String(one))
      .stdout(/exited/)
      .run();
  });

  it('ends with its block again once it is released', async () => {
    const rig = createRig({ tracker });
    const { ids } = await startTwo(rig);
    await rig.agentmux('keep', 'p1').stdout(anything).stderr(anything).run();
    await rig
      .agentmux('release', 'p1')
      .stdout(/^released p1 of b1, 3 processes: /)
      .run();
    await rig
      .agentmux('release', 'p1')
      .stderr(/^error: "p1" is not kept\n/)
      .status(3)
      .run();
    await rig.agentmux('kill-tree').stdout(anything).stderr(anything).run();
    expect(ids.flatMap(findSleepers)).toEqual([]);
  });
});

describe('agentmux keep', () => {
  const moves = 'moves it to a group of its own, beside that of its block, which goes with it';
  itIf(surestTrackers.includes('cgroup'), 'needs root, and groups to be the tracker', moves, async () => {
    const rig = createRig({ tracker: 'cgroup' });
    const { ids } = await startTwo(rig);
    const [pid] = findSleepers(ids[0]);
    const home = groupOf(pid);
    await rig.agentmux('keep', 'p1').stdout(anything).run();
    expect(groupOf(pid)).toBe(`${home}.kept`);
    await rig
      .agentmux('ps', '--json')
      .stdout(new RegExp(`"pid": ${pid},`))
      .run();
    await rig.agentmux('release', 'p1').stdout(anything).run();
    expect(groupOf(pid)).toBe(home);
    await rig.agentmux('keep', 'p1').stdout(anything).run();
    const tracker = await rig.agentmux('blocks', '--json').json<{ blocks: { tracker: { cgroupPath: string } }[] }>();
    const group = `${tracker.blocks[0]?.tracker.cgroupPath}.kept`;
    expect(existsSync(group)).toBe(true);
    await rig.agentmux('kill-tree', '--including-kept').stdout(anything).stderr(anything).run();
    expect(existsSync(group)).toBe(false);
  });

  it('refuses the agent, what is no member, and what has exited', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const { pid } = await agent.inspect();
    await rig
      .agentmux('keep', String(pid))
      .stderr(/is the agent itself\nhint: .*--leftovers keep/)
      .status(5)
      .run();
    await rig
      .agentmux('keep', String(process.pid))
      .stderr(/is no member/)
      .status(3)
      .run();
    await rig
      .agentmux('keep', 'p1')
      .stderr(/no entry "p1"/)
      .status(3)
      .run();
    await rig
      .agentmux('keep')
      .stderr(/missing required argument/)
      .status(2)
      .run();
    await rig
      .agentmux('keep', 'p1', '--note', ' ')
      .stderr(/a note has from 1 to 500/)
      .status(2)
      .run();
  });

  it('prints what its schema says', async () => {
    const rig = createRig();
    await startTwo(rig);
    for (const command of ['keep', 'release']) {
      const document = await rig.agentmux(command, '--json', 'p1').stderr(anything).json();
      expect(findFaults(compileSchema(command), document)).toEqual([]);
    }
    await rig.agentmux('keep', 'p1').stdout(anything).stderr(anything).run();
    const document = await rig.agentmux('kill-tree', '--dry-run', '--json').stderr(anything).json<{ kept: object[] }>();
    expect(findFaults(compileSchema('kill-tree'), document)).toEqual([]);
    expect(document.kept).toHaveLength(3);
  });

  it('does not let a torn record of what is kept be passed over', async () => {
    const rig = createRig();
    await startTwo(rig);
    writeFileSync(join(rig.stateDirectory, 'blocks', 'b1.kept'), '{');
    await rig
      .agentmux('kill-tree')
      .stderr(/what is kept of block "b1" cannot be read: it is torn/)
      .status(1)
      .run();
  });
});
