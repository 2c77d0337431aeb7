import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TrackerReason, TrackerRecord } from '../model/block.ts';
import {
  hasKill,
  makeGroup,
  moveProcess,
  removeGroup,
  setFreeze,
  type WriteResult,
} from '../platform/linux/cgroup-fs.ts';
import { findOwnGroup, type OwnGroup } from '../platform/linux/cgroup-mount.ts';
import { connectManager, type ManagerSocket } from '../platform/linux/systemd.ts';
import type { Platform } from '../platform/platform.ts';
import { cgroupRecord, createCgroupTracker } from './cgroup.ts';
import { groupName, scopeName } from './group-name.ts';
import { makeReason, type ReasonCode } from './reasons.ts';
import { type Tracker, TrackerError, type TrackerPlan } from './tracker.ts';

/** Our own group as it was found at the start. */
export type FoundGroup = Extract<OwnGroup, { status: 'found' }>;

export interface GroupPlanOptions {
  readonly platform: Platform;
  readonly blockId: string;
  readonly tag: string;
  readonly reasons: readonly TrackerReason[];
  readonly own: FoundGroup;
  /** Who creates the tracker starts the agent at once: it may stay inside from the proof on, which spares two moves. */
  readonly staysInside?: boolean;
}

/** Slice of the user's manager that holds our scopes. */
const SLICE = 'agentmux.slice';
/** The manager answers before it moves; seldom more than 32 ms later. */
const MOVE_CAP_MS = 2000;

/** A child of our own group. */
export function planChildGroup(options: GroupPlanOptions): TrackerPlan {
  const { own, platform, staysInside = false } = options;
  const group = join(own.directory, groupName(options.blockId, options.tag));
  const record = cgroupRecord({ reasons: options.reasons, cgroupPath: group, scope: undefined });
  return {
    record,
    withReason: (reason) => planChildGroup({ ...options, reasons: [...options.reasons, reason] }),
    create: async () => createInGroup({ platform, record, group, home: own.directory, staysInside }),
  };
}

/** The group that an earlier run of the block made, while it is still there. */
export function planOldGroup(options: GroupPlanOptions, group: string): TrackerPlan {
  const { own, platform, staysInside = false } = options;
  const record = cgroupRecord({ reasons: options.reasons, cgroupPath: group, scope: undefined });
  return {
    record,
    withReason: (reason) => planOldGroup({ ...options, reasons: [...options.reasons, reason] }, group),
    async create() {
      try {
        return createInGroup({ platform, record, group, home: own.directory, staysInside });
      } catch (error) {
        if (error instanceof TrackerError) throw new TrackerError('old-group', error.message, { cause: error });
        throw error;
      }
    },
  };
}

export interface ScopePlanOptions extends GroupPlanOptions {
  readonly socket: ManagerSocket;
  readonly uid: number;
}

/**
 * A scope of its own from the user's manager. This process moves into its top group, the agent into a group below it, so
 * that killing the block spares this process. A scope that an earlier run made is entered again.
 */
export function planScope(options: ScopePlanOptions): TrackerPlan {
  const { own, platform, uid, staysInside = false } = options;
  const scope = scopeName(options.blockId, options.tag);
  const expected = join(own.mount.mountPoint, userManagerPath(own.path, uid), SLICE, scope, 'agent');
  const record = cgroupRecord({ reasons: options.reasons, cgroupPath: expected, scope });
  return {
    record,
    withReason: (reason) => planScope({ ...options, reasons: [...options.reasons, reason] }),
    async create() {
      const home = await enterScope(options, scope);
      const group = join(home, 'agent');
      return createInGroup({ platform, record: { ...record, cgroupPath: group }, group, home, staysInside });
    },
  };
}

interface GroupPlace {
  readonly platform: Platform;
  readonly record: TrackerRecord;
  readonly group: string;
  readonly home: string;
  readonly staysInside: boolean;
}

/** Makes the group and proves it: in, and out again. A mkdir alone proves nothing about moving (cgroups(7)). */
function createInGroup({ platform, record, group, home, staysInside }: GroupPlace): Tracker {
  const made = make(group);
  // An older group may have been left frozen; whoever enters it would freeze too.
  if (!made) setFreeze(group, false);
  const entered = moveProcess(process.pid, group);
  if (entered.status !== 'done') {
    if (made) removeGroup(group);
    throw refusal(entered, group);
  }
  const found = hasKill(group) ? record : withReason(record, 'kernel-too-old', 'no cgroup.kill');
  if (staysInside) return createCgroupTracker({ record: found, platform, enclosure: group, home, isInside: true });
  if (moveProcess(process.pid, home).status === 'done') {
    return createCgroupTracker({ record: found, platform, enclosure: group, home });
  }
  // No way back: then the group is ours from now on, and the agent gets one below it.
  const inner = join(group, 'agent');
  make(inner);
  return createCgroupTracker({ record: { ...found, cgroupPath: inner }, platform, enclosure: inner, home: group });
}

function withReason(record: TrackerRecord, code: ReasonCode, detail: string): TrackerRecord {
  return { ...record, reasons: [...record.reasons, makeReason(code, detail)] };
}

function make(group: string): boolean {
  try {
    return makeGroup(group);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new TrackerError(MAKE_REASONS[code] ?? 'move-refused', `mkdir ${group}: ${code}`, { cause: error });
  }
}

/** cgroup-v2.rst: cgroup.max.descendants and cgroup.max.depth make mkdir fail with EAGAIN. */
const MAKE_REASONS: Record<string, ReasonCode> = {
  EROFS: 'read-only',
  EACCES: 'permission',
  EPERM: 'permission',
  EAGAIN: 'group-limit',
};

function refusal(result: WriteResult, group: string): TrackerError {
  const code = result.status === 'refused' ? result.code : result.status;
  // A child of a threaded group is "domain invalid" and takes nothing (cgroups(7), "Threaded mode").
  const isThreaded = code === 'ENOTSUP' || code === 'EOPNOTSUPP';
  return new TrackerError(isThreaded ? 'threaded' : 'move-refused', `move into ${group}: ${code}`);
}

/** Resolves to the absolute directory of the scope once this process is in it. */
async function enterScope(options: ScopePlanOptions, scope: string): Promise<string> {
  try {
    const manager = await connectManager(options.socket, options.uid);
    try {
      await manager
        .startScope({
          name: scope,
          description: `agentmux block ${options.blockId}`,
          slice: SLICE,
          pids: [process.pid],
        })
        .catch((error: unknown) => {
          if ((error as { errorName?: string }).errorName !== 'org.freedesktop.systemd1.UnitExists') throw error;
          return manager.attachProcesses(scope, [process.pid]);
        });
    } finally {
      manager.close();
    }
  } catch (error) {
    throw new TrackerError('scope-failed', error instanceof Error ? error.message : String(error), { cause: error });
  }
  for (const end = Date.now() + MOVE_CAP_MS; ; await sleep(2)) {
    const own = findOwnGroup();
    if (own.status === 'found' && own.path.endsWith(`/${scope}`)) return own.directory;
    if (Date.now() >= end) throw new TrackerError('scope-failed', `not moved into ${scope} within ${MOVE_CAP_MS} ms`);
  }
}

/** Path of the user's manager; the expected place of a scope, made exact once it is there. */
function userManagerPath(path: string, uid: number): string {
  const slices = /^(.*?)\/user\.slice(?:\/|$)/.exec(path)?.[1] ?? '';
  return `${slices}/user.slice/user-${uid}.slice/user@${uid}.service`;
}
