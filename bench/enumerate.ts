import { spawnSync } from 'node:child_process';
import { selectPlatform } from '../src/platform/select-platform.ts';
import { type Bed, fillTable, openBed } from './beds.ts';
import { type BudgetRow, ratioRow } from './report.ts';
import { medianRatio } from './stats.ts';

const rounds = 11;

/** Reading 1,000 processes in this process, against a spawned `ps -e`. */
export async function benchEnumeration(): Promise<BudgetRow[]> {
  await using bed: Bed = openBed();
  await fillTable(bed, 1000);
  const own: number[] = [];
  const ps: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const times = [time(readEverything), time(() => spawnSync('ps', ['-e']))] as const;
    if (round === 0) continue;
    own.push(times[0]);
    ps.push(times[1]);
  }
  return [ratioRow('1,000 processes: stat, cmdline, environ', medianRatio(own, ps), 0.5, 'ps -e')];
}

const platform = selectPlatform(process.platform);

function readEverything(): void {
  const tags = new Set(['0123456789abcdef0123456789abcdef']);
  for (const { pid } of platform.readTable()) {
    platform.readDetails(pid, { argv: true });
    platform.findTag(pid, tags);
  }
}

function time(act: () => void): number {
  const start = performance.now();
  act();
  return performance.now() - start;
}
