import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGroup, endGroup, findOwnGroup } from '../test/helpers/cgroup.ts';
import { printTable } from './report.ts';
import { median, medianRatio } from './stats.ts';

const rounds = 61;

/** Ways to start a process inside a group before its first instruction: what each adds to a plain spawn. */
export async function benchSpawn(): Promise<void> {
  const own = findOwnGroup();
  if (own === undefined) {
    console.log('\nskipped: ways to start inside a group: no cgroup2');
    return;
  }
  const group = createGroup();
  const moveTo = (path: string) => writeFileSync(join(path, 'cgroup.procs'), `${process.pid}`);
  const trampoline = 'echo $$ > "$0/cgroup.procs" && exec "$@"';
  const ways: Readonly<Record<string, () => string>> = {
    'plain spawn, outside': () => where(spawnSync('cat', ['/proc/self/cgroup'], { encoding: 'utf8' }).stdout),
    'join, spawn, go back': () => {
      moveTo(group);
      const { stdout } = spawnSync('cat', ['/proc/self/cgroup'], { encoding: 'utf8' });
      moveTo(own);
      return where(stdout);
    },
    'a shell joins and execs': () =>
      where(spawnSync('sh', ['-c', trampoline, group, 'cat', '/proc/self/cgroup'], { encoding: 'utf8' }).stdout),
  };
  const times = new Map(Object.keys(ways).map((name) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, start] of Object.entries(ways)) {
      const begin = performance.now();
      const place = start();
      if (round > 0) times.get(name)?.push(performance.now() - begin);
      const isInside = place === where(readFileSync('/proc/self/cgroup', 'utf8'));
      if (isInside === name.includes('join')) throw new Error(`${name}: started in ${place}`);
    }
  }
  await endGroup(group);
  const plain = times.get('plain spawn, outside') ?? [];
  printTable(`A start inside a group, median of ${rounds}`, [
    ['way', 'ms', 'ratio'],
    ...[...times].map(([name, values]) => [
      name,
      median(values).toFixed(2),
      `${medianRatio(values, plain).toFixed(2)} x`,
    ]),
  ]);
}

function where(cgroup: string): string {
  return /^0::(.*)$/m.exec(cgroup)?.[1] ?? '';
}
