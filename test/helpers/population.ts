import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** The four crowds that tree killers are measured on, as arguments of test/fixtures/population.c. */
export const populations = {
  /** 201 that stand still: sessions, daemons, deaf, stopped, zombies. */
  'A static': 'idle=120 session=20 deaf=20 stopped=20 zombie=5 daemon=20',
  /** 20 that replace themselves every 10 ms. */
  'B churn': 'idle=20 churn=20 life=10',
  /** 50 that replace themselves every 5 ms, each time in a session of its own. */
  'C setsid churn': 'idle=30 session=5 deaf=5 stopped=5 zombie=5 daemon=5 churn=50 life=5 own=1',
  /** About 1,000, 50 of which churn. */
  'D large churn': 'idle=900 session=20 deaf=20 stopped=20 zombie=5 daemon=20 churn=50 life=5',
} as const;

export type PopulationName = keyof typeof populations;

/** True if there is a C compiler; else skip with `compilerReason`. */
export const hasCompiler = spawnSync('cc', ['--version']).status === 0;
export const compilerReason = 'needs a C compiler (cc)';

/** Builds the fixture outside the tracked files and returns its path. */
export function buildPopulation(): string {
  const directory = join(process.cwd(), 'node_modules/.cache/agentmux');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'population');
  const { status, stderr } = spawnSync('cc', ['-O2', '-o', path, 'test/fixtures/population.c'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return path;
}

/** Its arguments: ends itself after `seconds`, whatever becomes of the test. */
export function populationArguments(name: PopulationName, seconds = 25): string[] {
  return [...populations[name].split(' '), `seconds=${seconds}`];
}
