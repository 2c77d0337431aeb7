import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { waitFor } from './wait-for.ts';

/** Directory of our own cgroup in the v2 hierarchy; undefined where none is mounted. An eye apart from src/platform. */
export function findOwnGroup(): string | undefined {
  const mount = /^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(readFileSync('/proc/self/mountinfo', 'utf8'));
  const own = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  if (mount?.[2] === undefined || own === undefined) return undefined;
  return join(mount[2], own);
}

/** True if groups can be made below our own and processes moved into them. */
export function canMakeGroups(): boolean {
  const own = findOwnGroup();
  if (own === undefined) return false;
  const path = join(own, `agentmux-test-probe-${process.pid}`);
  try {
    mkdirSync(path);
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}

let groups = 0;

/** Makes a group below our own; killed and removed when the test has finished. */
export function makeGroup(): string {
  const path = createGroup();
  onTestFinished(() => endGroup(path));
  return path;
}

/** Makes a group below our own; the caller ends it. */
export function createGroup(): string {
  const own = findOwnGroup();
  if (own === undefined) throw new Error('no cgroup2 is mounted here');
  const path = join(own, `agentmux-test-${process.pid}-${++groups}`);
  mkdirSync(path);
  return path;
}

/** Kills all members of a group and of the groups below it, and removes these. */
export async function endGroup(path: string): Promise<void> {
  writeFileSync(join(path, 'cgroup.kill'), '1');
  await waitFor(`${path} to be empty`, () => readGroup(path).length === 0);
  await waitFor(`${path} to be removed`, () => removeGroup(path));
}

/** Pids of all members of a group and of those below it. */
export function readGroup(path: string): number[] {
  const own = readProcs(path);
  return [...own, ...listGroups(path).flatMap((name) => readGroup(join(path, name)))];
}

function readProcs(path: string): number[] {
  try {
    return readFileSync(join(path, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
  } catch {
    return []; // EOPNOTSUPP of a threaded group: its members are listed by the group above
  }
}

/** Names of the groups right below a group. */
export function listGroups(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

function removeGroup(path: string): boolean {
  try {
    for (const name of listGroups(path)) removeGroup(join(path, name));
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}
