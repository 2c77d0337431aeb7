import { setTimeout as delay } from 'node:timers/promises';
import { findOwnGroup } from '../test/helpers/cgroup.ts';
import { hasCompiler, type PopulationName, populations } from '../test/helpers/population.ts';
import { type Crowd, openCrowd } from './crowd.ts';
import { type Killer, killers } from './killers.ts';
import { printTable } from './report.ts';
import { median } from './stats.ts';

const rounds = 3;
/** How long a peer is given, ms. Churning crowds less: their dead pile up where init is slow to reap them. */
const capMs: Readonly<Record<PopulationName, number>> = {
  'A static': 30_000,
  'B churn': 4_000,
  'C setsid churn': 4_000,
  'D large churn': 8_000,
};

/** Ours is a command of its own, whose Node has to start beside the crowd. */
const ownCapMs = 30_000;

/** What a killer left, or how long it took until none lived. */
interface Outcome {
  readonly ms: number | undefined;
  readonly survivors: number;
}

/** kill-tree beside the other ways to end a tree, on four crowds: time from the call until none lives. */
export async function benchKillers(): Promise<void> {
  if (findOwnGroup() === undefined || !hasCompiler) {
    console.log('\nskipped: killers side by side: needs cc, and a cgroup2 to count survivors in');
    return;
  }
  const names = Object.keys(populations) as PopulationName[];
  const rows: string[][] = [['killer', ...names]];
  for (const killer of killers) {
    const row = [killer.name];
    for (const name of names) row.push(describe(await play(name, killer)));
    rows.push(row);
  }
  printTable(
    `Time from the call to zero survivors, median of ${rounds}; "never": after ${describeCaps()} (agentmux: ${ownCapMs / 1000} s) some lived on`,
    rows,
  );
}

async function play(name: PopulationName, killer: Killer): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let round = 0; round < rounds; round++) {
    await using crowd = await openCrowd(name, killer.tracker);
    const outcome = await playRound(crowd, killer, killer.kill === undefined ? ownCapMs : capMs[name]);
    outcomes.push(outcome);
    process.stderr.write(`${killer.name}, ${name}: ${describe([outcome])}\n`);
    // What never gets there need not be given another crowd.
    if (outcome.ms === undefined && killer.kill !== undefined) break;
  }
  return outcomes;
}

async function playRound(crowd: Crowd, killer: Killer, limitMs: number): Promise<Outcome> {
  const start = performance.now();
  let isOver = false;
  const over = (killer.kill === undefined ? crowd.killTree() : killer.kill(crowd.rootPid))
    .catch(() => {})
    .then(() => {
      isOver = true;
    });
  for (;;) {
    const ms = performance.now() - start;
    const survivors = crowd.members().length;
    if (survivors === 0) {
      await over;
      return { ms, survivors };
    }
    // A killer that has come back and left some has failed, but the last signals may still be on their way.
    if (ms > limitMs || (isOver && ms > 2000)) return { ms: undefined, survivors };
    await delay(2);
  }
}

function describe(outcomes: readonly Outcome[]): string {
  const times = outcomes.flatMap(({ ms }) => ms ?? []);
  const left = outcomes.filter(({ ms }) => ms === undefined).map(({ survivors }) => survivors);
  if (left.length === 0) return `${median(times).toFixed(0)} ms`;
  const never = `never (${left.join(', ')} left)`;
  return times.length === 0 ? never : `${median(times).toFixed(0)} ms, or ${never}`;
}

function describeCaps(): string {
  return `${Object.values(capMs)
    .map((ms) => ms / 1000)
    .join(', ')} s`;
}
