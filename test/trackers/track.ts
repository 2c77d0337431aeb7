import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import type { TrackerType } from '../../src/model/block.ts';
import type { Identity } from '../../src/model/identity.ts';
import { createLinuxPlatform } from '../../src/platform/linux/linux-platform.ts';
import { planTrackers } from '../../src/trackers/select.ts';
import type { Tracker } from '../../src/trackers/tracker.ts';
import { endProcess } from '../helpers/processes.ts';
import { isAlive } from '../helpers/procfs.ts';
import { waitFor } from '../helpers/wait-for.ts';

export const platform = createLinuxPlatform();

/** A tracker of the wanted type with an agent in it, ended and removed when the test has finished. */
export interface Tracked {
  readonly tracker: Tracker;
  readonly child: ChildProcess;
  readonly root: Identity;
  readonly tag: string;
  /** Pids of the agent's script by the names it prints: `name pid`. */
  pidOf(name: string): Promise<number>;
}

/** Words of a shell script that leave a child nobody waits for, once the shell has become `sleep` by exec. */
export const zombie = (name: string): string =>
  `(while [ "$(cat /proc/$$/comm)" != sleep ]; do :; done) & echo ${name} $!`;

/** Starts a shell script as the agent, inside the tracker from its first instruction. */
export async function track(type: TrackerType, script: string, env: NodeJS.ProcessEnv = {}): Promise<Tracked> {
  const tag = randomBytes(16).toString('hex');
  const wrapper = identify(process.pid);
  const [plan] = planTrackers({ platform, env: {}, forced: type, kind: 'agent', blockId: 'contract', tag, wrapper });
  if (plan?.record.type !== type) throw new Error(`no ${type} here: ${JSON.stringify(plan?.record.reasons)}`);
  const tracker = await plan.create();
  const child = tracker.spawnInside(() =>
    spawn('bash', ['-c', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env, AGENTMUX_TAG: tag },
    }),
  );
  const root = identify(child.pid);
  tracker.assign(root);
  let told = '';
  child.stdout?.on('data', (chunk) => {
    told += chunk;
  });
  onTestFinished(async () => {
    await tracker.killTree({ deadlineMs: 5000 });
    for (const match of told.matchAll(/^\w+ (\d+)$/gm)) if (isAlive(Number(match[1]))) endProcess(Number(match[1]));
    if (isAlive(root.pid)) endProcess(root.pid);
    await waitFor('the group to go', () => {
      tracker.dispose();
      return tracker.memberPids().length === 0;
    });
    const { cgroupPath } = tracker.record;
    if (cgroupPath !== undefined) expect(() => rmSync(`${cgroupPath}/cgroup.procs`)).toThrow(/ENOENT/);
  });
  const pidOf = (name: string) =>
    waitFor(`"${name}" of the script`, () => {
      const pid = new RegExp(`^${name} (\\d+)$`, 'm').exec(told)?.[1];
      return pid === undefined ? undefined : Number(pid);
    });
  return { tracker, child, root, tag, pidOf };
}

export function identify(pid: number | undefined): Identity {
  const identity = pid === undefined ? undefined : platform.identify(pid);
  if (!identity) throw new Error(`process ${pid} cannot be identified`);
  return identity;
}
