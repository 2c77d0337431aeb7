import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../helpers/random.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { capMs, sleeper, startBystander } from './helpers/agent.ts';
import { descendants, endProcess, isAlive, type SeenProcess, startedAt } from './helpers/look.ts';
import { createRig, outcome, type Rig, readRecord } from './helpers/rig.ts';

const rounds = 20;
const command = ['cmd.exe', '/d', '/c', sleeper.join(' ')];

describe.each([undefined, 'scan'])('a wrapper that is killed (tracker %s)', (tracker) => {
  it(`loses nothing at ${rounds} instants of its life: the next command finds the tree and ends it`, async () => {
    const rig = createRig({ tracker });
    const random = seededRandom(20_261_130);
    const bystander = startBystander();
    const lifeMs = await measureStart(rig);
    const found: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const id = `b${round}`;
      const wrapper = rig.run('--block', id, ...command).start();
      const bornAt = startedAt(wrapper.pid);
      await momentOf(rig, id, 2 * random(), lifeMs);
      wrapper.kill('SIGKILL');
      await wrapper.exited(capMs);
      const orphans = await settled(wrapper.pid, bornAt);
      await endBlock(rig, id, orphans);
      expect(
        orphans.filter(({ pid }) => isAlive(pid)),
        `round ${round}`,
      ).toEqual([]);
      found.push(orphans.length);
    }
    expect(isAlive(bystander)).toBe(true);
    // Killed before its agent was there, and afterwards.
    expect(found.filter((count) => count > 0).length).toBeGreaterThan(rounds / 5);
    console.log(`  ${found.filter((count) => count > 0).length} of ${rounds} left a tree behind`);
  }, 900_000);
});

/** How long a run takes until it has recorded its agent, ms. */
async function measureStart(rig: Rig): Promise<number> {
  const start = performance.now();
  const wrapper = rig.run('--block', 'first', ...command).start();
  await waitFor('the record', () => readRecord(rig, 'first')?.state === 'running', capMs);
  const took = performance.now() - start;
  for (const { pid } of descendants(wrapper.pid)) endProcess(pid);
  await wrapper.exited(capMs);
  return took;
}

/** Below 1 a part of the start, above a part of half a second after it, however long that takes now. */
async function momentOf(rig: Rig, id: string, instant: number, lifeMs: number): Promise<void> {
  if (instant < 1) return delay(instant * lifeMs);
  await waitFor('the record', () => readRecord(rig, id)?.state === 'running', capMs);
  await delay((instant - 1) * 500);
}

/** What it left that runs: its children can still start theirs. */
async function settled(pid: number, bornAt: bigint | undefined): Promise<SeenProcess[]> {
  // The host of its console goes by itself.
  const look = () => descendants(pid, bornAt).filter(({ name }) => name !== 'conhost.exe');
  const isComplete = () => {
    const list = look();
    return list.length === 0 || list.some(({ name }) => name === 'ping.exe');
  };
  // One whose maker was killed while it made it may come no further: it too is to be found.
  await waitFor('its children to start theirs', isComplete, 10_000).catch(() => undefined);
  return look();
}

/** Ends the block by one command, which must say that all is well; a run that left nothing may be unknown. */
async function endBlock(rig: Rig, id: string, orphans: readonly SeenProcess[]): Promise<void> {
  const { status, stdout, stderr } = await outcome(rig.agentmux('kill-tree', '--grace', '0', '--json', '--block', id));
  if (orphans.length === 0) {
    expect([0, 3], stderr).toContain(status);
    return;
  }
  expect(status, `${stdout}${stderr}`).toBe(0);
  const { rows } = JSON.parse(stdout) as { rows: readonly { pid: number; result: string }[] };
  expect(rows.map(({ pid }) => pid)).toEqual(expect.arrayContaining(orphans.map(({ pid }) => pid)));
}
