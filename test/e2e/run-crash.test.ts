import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { startSleeper } from '../helpers/processes.ts';
import { isAlive, readEnvironment, readTable } from '../helpers/procfs.ts';
import { seededRandom } from '../helpers/random.ts';
import { isNativeReader } from '../helpers/reader.ts';
import { findSleepers } from '../helpers/sleepers.ts';
import { waitFor } from '../helpers/wait-for.ts';

interface Listing {
  readonly blocks: readonly { readonly id: string; readonly status: string }[];
}

/** Each takes a second or more where a look starts a program. */
const rounds = isNativeReader ? 200 : 40;
/** A start takes some 100 ms on a calm machine, an end some 10: what is killed is every part of a run's life. */
const shortestLifeMs = 400;

it(`loses nothing when the wrapper is killed at ${rounds} instants of its life`, async () => {
  const rig = createRig();
  const bystander = startSleeper();
  const random = seededRandom(20_261_130);
  const id = `5${process.pid}000`;
  const longestLifeMs = Math.min(1000, Math.max(shortestLifeMs, await timeRun(rig)));
  for (let round = 0; round < rounds; round += 1) {
    const tool = `setsid sleep ${id} >/dev/null 2>&1 & sleep 0.1; exit 0`;
    const running = rig.run('--block', `b${round}`, '--leftovers', 'kill', 'sh', '-c', tool).start();
    await delay(random() * longestLifeMs);
    running.kill('SIGKILL');
    await running.exited();
  }
  // What was started and not recorded yet would still be running as the agent's shell for 0.1 s.
  await waitFor('the shells to end', () => !readTable().some(({ pid }) => isOfRig(rig, pid) && !isSleeper(pid, id)));
  const left = findSleepers(id);
  const tags = new Map(readTags(rig, rounds));
  for (const pid of left) {
    const entry = readEnvironment(pid).find((value) => value.startsWith('AGENTMUX_TAG='));
    expect(tags.get(entry ?? ''), `the block of pid ${pid}`).toBeDefined();
  }
  const { blocks } = await rig.agentmux('blocks', '--json').json<Listing>();
  const owners = new Set(
    left.map((pid) => tags.get(readEnvironment(pid).find((value) => value.startsWith('AGENTMUX_TAG=')) ?? '')),
  );
  expect(new Set(blocks.map((block) => block.id))).toEqual(owners);
  // Killed while its agent ran, or afterwards, while it waited for the rest.
  for (const block of blocks) expect(['wrapper-gone', 'leftovers']).toContain(block.status);
  expect(left.length).toBeGreaterThan(rounds / 20);
  for (const block of blocks) {
    await rig.agentmux('kill-tree', '--grace', '0', '--block', block.id).stdout(anything).stderr(anything).run();
  }
  expect(findSleepers(id)).toEqual([]);
  expect(isAlive(bystander.pid)).toBe(true);
}, 600_000);

/** How long a whole run takes that is not killed: more than a calm one where the machine is busy. */
async function timeRun(rig: Rig): Promise<number> {
  const start = performance.now();
  await rig.run('--block', 'timed', 'true').run();
  const took = performance.now() - start;
  await rig.agentmux('prune', '--older-than', '0').stdout(anything).stderr(anything).run();
  return took;
}

function isOfRig(rig: Rig, pid: number): boolean {
  return readEnvironment(pid).includes(`AGENTMUX_TEST_RIG=${rig.env['AGENTMUX_TEST_RIG']}`);
}

function isSleeper(pid: number, id: string): boolean {
  return findSleepers(id).includes(pid);
}

/** `AGENTMUX_TAG=…` to block id, of every record that is there; none may be torn. */
function* readTags(rig: Rig, count: number): Generator<[string, string]> {
  for (let round = 0; round < count; round += 1) {
    const text = readRecord(rig, `b${round}`);
    if (text !== undefined) yield [`AGENTMUX_TAG=${(JSON.parse(text) as { tag: string }).tag}`, `b${round}`];
  }
}

function readRecord(rig: Rig, id: string): string | undefined {
  try {
    return readFileSync(join(rig.stateDirectory, 'blocks', `${id}.json`), 'utf8');
  } catch {
    return undefined;
  }
}
