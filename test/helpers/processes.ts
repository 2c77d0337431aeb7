import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { isAlive, readTable, withDescendants } from './procfs.ts';

/** A real child of the test, which it will not outlive. */
export interface TrackedProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Resolves when it has ended and its pipes are closed. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Starts a real process; it and what descends from it are ended, by pid, when the test has finished. */
export function startProcess(
  command: string,
  args: readonly string[] = [],
  options: SpawnOptions = {},
): TrackedProcess {
  const child = spawn(command, args, { stdio: 'ignore', ...options });
  const { pid } = child;
  if (pid === undefined) throw new Error(`could not start ${command}`);
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  onTestFinished(async () => {
    endTree(pid);
    await ended;
  });
  return { child, pid, ended };
}

/** A process that only sleeps. */
export function startSleeper(options: SpawnOptions = {}): TrackedProcess {
  return startProcess('sleep', ['300'], options);
}

/** Kills a process that the test started, and its live descendants. */
export function endTree(pid: number): void {
  if (!isAlive(pid)) return;
  for (const member of withDescendants(readTable(), [pid])) endProcess(member);
}

/** SIGKILL to a process that the test started; one that has gone is none of our business. */
export function endProcess(pid: number): void {
  if (pid <= 1 || pid === process.pid) throw new Error(`internal: will not end pid ${pid}`);
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone meanwhile
  }
}
