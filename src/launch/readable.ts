import { AgentmuxError } from '../errors.ts';
import type { Platform } from '../platform/platform.ts';
import { createMemoryStore } from './memory-store.ts';
import type { Reporter } from './reporter.ts';
import type { LaunchWorld } from './world.ts';

/** True if processes cannot be read, be it now or at all: no reason to keep the agent from running. */
export function isUnreadable(error: unknown): error is AgentmuxError {
  return error instanceof AgentmuxError && UNREADABLE.has(error.code);
}

const UNREADABLE: ReadonlySet<string> = new Set(['no-ps', 'no-procfs', 'no-process-table']);

/**
 * The world as the run takes it. Where no process can be read at all, which is told, nothing is tracked and nothing
 * recorded: without starts a record could name no process, and what is not read must not be taken for ended.
 */
export function findReadable(world: LaunchWorld, reporter: Reporter): LaunchWorld {
  const { platform } = world;
  try {
    platform.host();
    return world;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    reporter.note(`not tracked and not recorded: ${error.message}`);
    if (error.hint !== undefined) reporter.note(`hint: ${error.hint}`);
    const { env, stdout, stderr, stdinIsTTY, pid, cwd } = world;
    return {
      ...{ env, stdout, stderr, stdinIsTTY, pid, cwd },
      now: () => world.now(),
      platform: { ...withQuietStat(platform), host: () => NOWHERE, failure: error.message },
      store: createMemoryStore(),
      confirm: (question) => world.confirm(question),
    };
  }
}

/**
 * A platform that tells nothing of a process, and signals none, instead of failing, while `ps` does: for what the agent's
 * life hangs on, and for what listens to signals, where an error would end us.
 */
export function withQuietStat(platform: Platform): Platform {
  if (platform.reader === undefined) return platform;
  return {
    ...platform,
    readStat: (pid) => orIfUnreadable(() => platform.readStat(pid), undefined),
    signal: (identity, signal) => orIfUnreadable(() => platform.signal(identity, signal), 'denied'),
  };
}

function orIfUnreadable<T>(read: () => T, instead: T): T {
  try {
    return read();
  } catch (error) {
    if (isUnreadable(error)) return instead;
    throw error;
  }
}

const NOWHERE = { machineId: '', bootId: '', pidNamespace: '' };
