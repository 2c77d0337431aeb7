import { type FSWatcher, watch } from 'node:fs';
import { readPopulated } from '../platform/linux/cgroup-fs.ts';
import type { Tracker } from '../trackers/tracker.ts';

/** Ends the watch. */
export interface MembershipWatch {
  stop(): void;
}

export interface MembershipWatchOptions {
  readonly tracker: Tracker;
  /** True while the agent lives. */
  isAgentAlive(): boolean;
  /** Looks for members everywhere and records them, so that they stay members. */
  look(): void;
}

/**
 * Keeps membership known while the agent lives. A group needs nothing but an ear on `cgroup.events`: if it gets empty
 * and the agent lives, the agent has left it, and from then on we look once a second as in scan mode.
 */
export function watchMembership(options: MembershipWatchOptions): MembershipWatch {
  const { tracker } = options;
  // A job is never left: it allows no breakaway.
  if (tracker.type === 'stub' || tracker.type === 'job') return { stop: () => undefined };
  if (tracker.type !== 'cgroup') return lookRegularly(options);
  const group = tracker.record.cgroupPath;
  let looking: MembershipWatch | undefined;
  const onEvent = (): void => {
    if (looking !== undefined || group === undefined || readPopulated(group) === true || !options.isAgentAlive())
      return;
    looking = lookRegularly(options);
  };
  const watcher = group === undefined ? undefined : watchFile(`${group}/cgroup.events`, onEvent);
  return {
    stop() {
      watcher?.close();
      looking?.stop();
    },
  };
}

/** Often enough that what an agent starts is seen before what started it has gone. */
const lookMs = 1000;

function lookRegularly({ look }: MembershipWatchOptions): MembershipWatch {
  look();
  const timer = setInterval(look, lookMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Changes of `cgroup.events` are told as modifications (cgroup-v2, "Basic Operations"). No watch is no harm. */
function watchFile(path: string, onEvent: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, { persistent: false }, onEvent);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
