import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { canMakeGroups, makeGroup } from '../helpers/cgroup.ts';
import { createRig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { countCrowd, insideGroup } from '../helpers/crowd.ts';
import {
  buildPopulation,
  compilerReason,
  hasCompiler,
  type PopulationName,
  populationArguments,
} from '../helpers/population.ts';
import { countZombies } from '../helpers/procfs.ts';
import { describeIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';

interface KillReport {
  readonly rows: readonly { readonly pid: number; readonly result: string }[];
}

/** `kill-tree --grace 0` on crowds that fork while they are killed; survivors are counted from outside. */
const rounds = 5;
const hasGroups = canMakeGroups();
const hasLastPid = canRead('/proc/sys/kernel/ns_last_pid');

describeIf(hasCompiler, compilerReason, 'kill-tree on a crowd', () => {
  describeIf(hasGroups, 'no cgroup can be made here', 'in a cgroup', () => {
    it.each<PopulationName>(['A static', 'B churn', 'C setsid churn', 'D large churn'])(
      `%s: no survivor in ${rounds} of ${rounds}`,
      async (name) => {
        expect(await playRounds(name, 'cgroup')).toEqual(Array(rounds).fill(0));
      },
      180_000,
    );
  });

  describeIf(true, '', 'by scan', () => {
    it.each<[PopulationName, number]>([
      ['A static', rounds],
      ['B churn', rounds],
      ['C setsid churn', hasLastPid ? rounds - 1 : 0],
      ['D large churn', rounds],
    ])(
      `%s: no survivor in at least %i of ${rounds}`,
      async (name, wanted) => {
        const survivors = await playRounds(name, 'scan');
        expect(survivors.filter((count) => count === 0).length, survivors.join(' ')).toBeGreaterThanOrEqual(wanted);
      },
      240_000,
    );
  });
});

/** Survivors of each round. A round with survivors must say so: exit code 4, and every one of them named. */
async function playRounds(name: PopulationName, tracker: string): Promise<number[]> {
  const counts: number[] = [];
  for (let round = 1; round <= rounds; round++) counts.push(await playRound(name, tracker, `t${round}`));
  process.stderr.write(`${tracker.padEnd(6)} ${name.padEnd(14)} survivors: ${counts.join(' ')}\n`);
  return counts;
}

async function playRound(name: PopulationName, tracker: string, block: string): Promise<number> {
  await waitFor('the dead of the round before to be reaped', () => countZombies() < 200, 60_000);
  const population = buildPopulation();
  const group = hasGroups ? makeGroup() : undefined;
  const rig = createRig({ tracker, prefix: group === undefined ? [] : insideGroup(group) });
  const wrapper = rig.run('--block', block, '--', population, ...populationArguments(name)).start();
  await wrapper.seen(/ready/);
  const killer = rig.agentmux('kill-tree', '--block', block, '--grace', '0', '--yes', '--json');
  const { status, stdout, stderr } = await killer.stdout(anything).stderr(anything).start().ended(60_000);
  const survivors = await countCrowd(population, group);
  if (survivors.length === 0) {
    expect({ status, stderr }).toMatchObject({ status: 0 });
    await waitFor('the wrapper to end', () => wrapper.child.exitCode !== null || wrapper.child.signalCode !== null);
    return 0;
  }
  expect(status, stderr).toBe(4);
  const { rows } = JSON.parse(stdout) as KillReport;
  expect(rows.some(({ result }) => result === 'survived')).toBe(true);
  return survivors.length;
}

function canRead(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}
