import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openKillWorld, openLookup } from '../src/commands/shared/lookup.ts';
import { killBlock } from '../src/kill/transaction.ts';
import { createNodeContext } from '../src/node-context.ts';
import { findOwnGroup } from '../test/helpers/cgroup.ts';
import { hasCompiler } from '../test/helpers/population.ts';
import { openCrowd } from './crowd.ts';
import { type BudgetRow, ratioRow, skippedRow } from './report.ts';
import { median, medianRatio } from './stats.ts';

const rounds = 7;
const limit = 1.5;
const what = 'kill-tree --grace 0, 201 members, first signal to verified empty';

/** The kill transaction of a block from its first signal to its answer, against a bare write to cgroup.kill. */
export async function benchKillTree(): Promise<BudgetRow[]> {
  if (findOwnGroup() === undefined || !hasCompiler) {
    return [skippedRow(what, `<= ${limit} x cgroup.kill`, 'needs cc and a cgroup2')];
  }
  const own: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round++) {
    own.push(await timeKillBlock());
    bare.push(await timeCgroupKill());
  }
  const row = ratioRow(what, medianRatio(own, bare), limit, 'cgroup.kill');
  return [{ ...row, measured: `${row.measured} (${median(own).toFixed(0)} / ${median(bare).toFixed(0)} ms)` }];
}

async function timeKillBlock(): Promise<number> {
  await using crowd = await openCrowd('A static', 'cgroup');
  Object.assign(process.env, crowd.env);
  const context = createNodeContext();
  const { lookup } = openLookup(context, 'kill-tree');
  const [record] = lookup.records;
  if (record === undefined) throw new Error('the crowd has no block');
  const world = openKillWorld(context, record, lookup.records);
  let start = 0;
  const { tracker } = world;
  const timed = {
    ...tracker,
    killTree: (options: Parameters<typeof tracker.killTree>[0]) => {
      start ||= performance.now();
      return tracker.killTree(options);
    },
  };
  const report = await killBlock({ ...world, tracker: timed }, { graceMs: 0 });
  const end = performance.now();
  if (!report.ok) throw new Error('some survived');
  return end - start;
}

async function timeCgroupKill(): Promise<number> {
  await using crowd = await openCrowd('A static', undefined);
  const start = performance.now();
  writeFileSync(join(crowd.group, 'cgroup.kill'), '1');
  while (crowd.members().length > 0) await delay(1);
  return performance.now() - start;
}
