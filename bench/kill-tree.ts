import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findOwnGroup } from '../test/helpers/cgroup.ts';
import { hasCompiler } from '../test/helpers/population.ts';
import { type Crowd, openCrowd } from './crowd.ts';
import { type BudgetRow, ratioRow, skippedRow } from './report.ts';
import { medianRatio } from './stats.ts';

const rounds = 5;
const limit = 1.5;
const what = 'kill-tree --grace 0, 201 members, first death to exit';

/**
 * From the first signal to verified empty, against a bare write to cgroup.kill. Seen from outside, so the end is that of
 * the whole command and the beginning the first death: what is told is an upper bound.
 */
export async function benchKillTree(): Promise<BudgetRow[]> {
  if (findOwnGroup() === undefined || !hasCompiler) {
    return [skippedRow(what, `<= ${limit} x cgroup.kill`, 'needs cc and a cgroup2')];
  }
  const own: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round++) {
    own.push(await timeKillTree());
    bare.push(await timeCgroupKill());
  }
  return [ratioRow(what, medianRatio(own, bare), limit, 'cgroup.kill')];
}

async function timeKillTree(): Promise<number> {
  await using crowd = await openCrowd('A static', 'cgroup');
  const all = crowd.members().length;
  let end = 0;
  void crowd.killTree().then(() => {
    end = performance.now();
  });
  await until(() => crowd.members().length < all);
  const start = performance.now();
  await until(() => end > 0);
  return end - start;
}

async function timeCgroupKill(): Promise<number> {
  await using crowd: Crowd = await openCrowd('A static', undefined);
  const start = performance.now();
  writeFileSync(join(crowd.group, 'cgroup.kill'), '1');
  await until(() => crowd.members().length === 0);
  return performance.now() - start;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(1);
}
