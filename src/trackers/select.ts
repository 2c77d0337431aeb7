import { accessSync, constants, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { BlockRecord, TrackerReason, TrackerRecord, TrackerType } from '../model/block.ts';
import type { Identity } from '../model/identity.ts';
import type { Priority } from '../model/priority.ts';
import { readType } from '../platform/linux/cgroup-fs.ts';
import { findOwnGroup } from '../platform/linux/cgroup-mount.ts';
import { native } from '../platform/linux/native.ts';
import { openPidSpace } from '../platform/linux/pid-space.ts';
import { findManagerSocket, isSystemdHost, parseUnitPlace } from '../platform/linux/systemd.ts';
import type { Platform } from '../platform/platform.ts';
import { type Win32, win32 } from '../platform/windows/ffi-call.ts';
import type { ChasePids } from './chase.ts';
import { findEnclosure, openEnclosures, withoutEnclosure } from './enclosures.ts';
import { joinTrackers } from './family-tracker.ts';
import { isInsideBlock } from './group-name.ts';
import { type FoundGroup, planChildGroup, planOldGroup, planScope } from './plan-cgroup.ts';
import { planJob } from './plan-job.ts';
import { makeReason, type ReasonCode, type ReasonFacts } from './reasons.ts';
import { createScanTracker, scanRecord } from './scan.ts';
import type { SeenProcess } from './scan-members.ts';
import { createStubTracker, stubRecord } from './stub.ts';
import { type ReadRecorded, type ScanSubject, subjectOf } from './subject.ts';
import type { Tracker, TrackerError, TrackerPlan } from './tracker.ts';

/** What the choice of a tracker depends on. */
export interface PlanOptions {
  readonly platform: Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `--tracker` or `AGENTMUX_TRACKER`. */
  readonly forced?: 'auto' | TrackerType;
  readonly kind: BlockRecord['kind'];
  readonly blockId: string;
  readonly tag: string;
  /** This process. */
  readonly wrapper: Identity;
  /** True if the agent is started right after `create`: this process then stays in the new group until it was. */
  readonly staysInside?: boolean;
  /** The block's record of an earlier run, whose enclosure is taken again while it is there. */
  readonly previous?: BlockRecord;
  /** Told of members that a scan had not seen before (Store.record). */
  readonly onSeen?: (members: readonly SeenProcess[]) => void;
  /** True if nothing of the block may outlive this process, whatever becomes of it (`--leftovers kill`). */
  readonly leavesNothing?: boolean;
  /** What the agent is to run at from its first instruction, where the enclosure can see to it (Windows). */
  readonly priority?: Priority | undefined;
  /** The native calls of Windows; those of this process if left out. */
  readonly win32?: Win32;
  /** Members that earlier runs saw (Store.recorded). */
  readonly recorded?: ReadRecorded;
}

/** What a tracker needs of the world beside the block's record. */
export interface TrackerDeps {
  readonly platform: Platform;
  /** The native calls of Windows; those of this process if left out. */
  readonly win32?: Win32;
  /** Members seen before, by block id (Store.recorded); none if left out. */
  readonly recorded?: ReadRecorded;
  /** Records of all blocks, of which the child blocks count (BlockRecord.parentId); none if left out. */
  readonly records?: readonly BlockRecord[];
}

/**
 * The ways to track a new run, best first, each with the reasons for which better ones were left out; never empty. The
 * one place that chooses. Looks, but makes and moves nothing: a plan is proven by `create`, and when that fails
 * `plansAfter` gives the rest.
 */
export function planTrackers(options: PlanOptions): TrackerPlan[] {
  const { platform, forced = 'auto' } = options;
  if (forced === 'stub') return [planStub([makeReason('forced', '--tracker stub')])];
  if (platform.failure !== undefined) return [planStub([makeReason('no-ps', platform.failure)])];
  if (platform.os === 'win32') return planWindows(options);
  if (options.kind === 'terminal') return [planStub([makeReason('terminal', "a person's shell")])];
  if (forced === 'scan') return [planScan(options, [makeReason('forced', '--tracker scan')])];
  if (forced === 'job') return [planScan(options, [makeReason('not-windows', `this is ${platform.os}`)])];
  if (platform.os === 'linux') return planLinux(options);
  return [planScan(options, [makeReason('not-linux', `this is ${platform.os}`)])];
}

/** The plans that are left after the first one failed, with its reason added to each. */
export function plansAfter(plans: readonly TrackerPlan[], failure: TrackerError): TrackerPlan[] {
  const reason: TrackerReason = { code: failure.code, detail: failure.message };
  return plans.slice(1).map((plan) => plan.withReason(reason));
}

/**
 * The tracker of a block that some run made, for other commands. A recorded group or job is taken only if its name
 * carries the block's nonce and it is what it should be. A group that is gone has no members; a job that cannot be had
 * may have some, and is scanned for.
 */
export function openTracker(record: BlockRecord, deps: TrackerDeps): Tracker {
  const { own, children, lost } = openEnclosures(record, deps.platform, deps.records ?? [], deps.win32);
  if (record.tracker.type === 'stub') return createStubTracker(record.tracker);
  return joinTrackers(own ?? openScan(lost === undefined ? record : withoutEnclosure(record, lost), deps), children);
}

function openScan(record: BlockRecord, { platform, records = [], recorded = () => [] }: TrackerDeps): Tracker {
  const subject = () => subjectOf(record, records, platform.host(), recorded);
  return createScanTracker({ record: record.tracker, platform, subject, openPids: () => openPids(platform) });
}

/** What keeps us from seeing all, whatever the tracker: for doctor. */
export function findCoverageNotes(platform: Platform): TrackerReason[] {
  // proc(5), hidepid: entries of other users, that of pid 1 among them, are not there.
  const isHidden = platform.os === 'linux' && process.pid !== 1 && platform.readStat(1) === undefined;
  return isHidden ? [makeReason('hidepid', 'the entry of pid 1 cannot be seen')] : [];
}

/** What adviseOn needs of this host. */
export function readReasonFacts(): ReasonFacts {
  const own = findOwnGroup();
  const mount = own.status === 'none' ? undefined : own.mount;
  const place = own.status === 'found' ? parseUnitPlace(own.path) : undefined;
  const { uid, username } = readUser();
  return {
    uid,
    user: username,
    mountPoint: mount?.mountPoint,
    ownGroup: own.status === 'found' ? own.directory : undefined,
    domainGroup: own.status === 'found' ? findDomainGroup(own) : undefined,
    unit: place?.type === 'system-unit' ? place.unit : undefined,
  };
}

/** userInfo throws for a user that the user database does not know, as in containers. */
function readUser(): { readonly uid: number; readonly username: string } {
  try {
    return userInfo();
  } catch {
    const uid = process.getuid?.() ?? -1;
    return { uid, username: String(uid) };
  }
}

/** Without native code nothing is known of other processes on Windows. A terminal gets a job too: ending it is up to its user. */
function planWindows(options: PlanOptions): TrackerPlan[] {
  const { forced = 'auto', leavesNothing = false, previous } = options;
  const calls = options.win32 ?? win32;
  const status = calls.status();
  if (status.type === 'unavailable') return [planStub([makeReason('no-native', status.reason)])];
  if (forced === 'scan') return [planScan(options, [makeReason('forced', '--tracker scan')])];
  if (forced === 'cgroup') return [planScan(options, [makeReason('not-linux', 'this is win32')])];
  const { priority } = options;
  const job = planJob({ ...options, win32: calls, reasons: [], leavesNothing, previous, priority });
  return [job, planScan(options, [])];
}

function planLinux(options: PlanOptions): TrackerPlan[] {
  const reasons: TrackerReason[] = [];
  const plans: TrackerPlan[] = [];
  const because = (code: ReasonCode, detail: string) => void reasons.push(makeReason(code, detail));
  const own = findOwnGroup();
  if (own.status === 'found') plans.push(...planGroups(options, own, reasons, because));
  else because(own.status === 'none' ? 'no-cgroup2' : 'group-hidden', own.detail);
  return [...plans, planScan(options, [...reasons])];
}

type Because = (code: ReasonCode, detail: string) => void;

function planGroups(options: PlanOptions, own: FoundGroup, reasons: TrackerReason[], because: Because): TrackerPlan[] {
  const { platform, blockId, tag } = options;
  const plans: TrackerPlan[] = [];
  const { staysInside = false } = options;
  const common = () => ({ platform, blockId, tag, own, staysInside, reasons: [...reasons] });
  const unit = isSystemdHost() && !isInsideBlock(own.path) ? parseUnitPlace(own.path) : undefined;
  const uid = process.getuid?.() ?? 0;

  const old = findOldGroup(options);
  if (old !== undefined && dirname(old) !== own.directory) plans.push(planOldGroup(common(), old));

  if (unit?.type === 'system-unit' && !isDelegated(own, unit.unit, uid)) {
    because('not-delegated', `${unit.unit} is not delegated`);
    return plans;
  }
  if (unit?.type === 'user-unit' || unit?.type === 'session') {
    const socket = findManagerSocket(options.env['XDG_RUNTIME_DIR'], uid);
    if (socket) plans.push(planScope({ ...common(), socket, uid }));
    else because('no-user-manager', `no socket of the manager of uid ${uid}`);
  }
  const obstacle = findObstacle(own);
  if (obstacle) because(...obstacle);
  else plans.push(planChildGroup(common()));
  return plans;
}

/** Why a child of our own group cannot be made, as far as that can be told without making one. */
function findObstacle(own: FoundGroup): [ReasonCode, string] | undefined {
  const type = readType(own.directory);
  if (type !== undefined && type !== 'domain') return ['threaded', `${own.directory} is "${type}"`];
  for (const path of [own.directory, join(own.directory, 'cgroup.procs')]) {
    const code = refusedAccess(path);
    if (code === 'EROFS') return ['read-only', `${own.mount.mountPoint} is read-only`];
    if (code !== undefined) return ['permission', `${path}: ${code}`];
  }
  return undefined;
}

function refusedAccess(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'EACCES';
  }
}

/**
 * True if the manager gave the unit's subtree away, systemd.resource-control(5) Delegate=. For other users than root it
 * hands over the directory; for root only an attribute tells (`user.delegate`, before 251 `trusted.delegate`).
 */
function isDelegated(own: FoundGroup, unit: string, uid: number): boolean {
  const end = own.directory.lastIndexOf(`/${unit}`);
  const directory = end < 0 ? own.directory : own.directory.slice(0, end + unit.length + 1);
  if (uid !== 0) return [directory, own.directory].some((one) => ownerOf(one) === uid);
  return ['user.delegate', 'trusted.delegate'].some((name) => native.getXattr(directory, name) === '1');
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

function findOldGroup(options: PlanOptions): string | undefined {
  const { previous } = options;
  return previous?.tracker.type === 'cgroup' && previous.tracker.scope === undefined
    ? findEnclosure(previous)
    : undefined;
}

function findDomainGroup(own: FoundGroup): string | undefined {
  let directory = own.directory;
  while (directory.startsWith(`${own.mount.mountPoint}/`)) {
    if (readType(directory) === 'domain') return directory;
    directory = dirname(directory);
  }
  return own.mount.mountPoint;
}

function planScan(options: PlanOptions, reasons: readonly TrackerReason[]): TrackerPlan {
  const { platform, previous } = options;
  const record: TrackerRecord = scanRecord(reasons);
  const before = (): ScanSubject | undefined =>
    previous && subjectOf(previous, [], platform.host(), options.recorded ?? (() => []));
  const subject = (): ScanSubject => ({
    tags: new Set([options.tag]),
    roots: before()?.roots ?? [],
    wrappers: [...(before()?.wrappers ?? []), options.wrapper],
    recorded: before()?.recorded ?? [],
    sinceTicks: Math.min(before()?.sinceTicks ?? Number.POSITIVE_INFINITY, options.wrapper.startTicks),
  });
  const { onSeen } = options;
  const { keepPid } = platform;
  return {
    record,
    withReason: (reason) => planScan(options, [...reasons, reason]),
    create: async () =>
      createScanTracker({ record, platform, subject, onSeen, openPids: () => openPids(platform), keepPid }),
  };
}

function planStub(reasons: readonly TrackerReason[]): TrackerPlan {
  const record = stubRecord(reasons);
  return {
    record,
    withReason: (reason) => planStub([...reasons, reason]),
    create: async () => createStubTracker(record),
  };
}

function openPids(platform: Platform): ChasePids & { close(): void } {
  if (platform.os === 'linux') return openPidSpace();
  const list = () =>
    platform
      .readTable()
      .map((stat) => stat.pid)
      .sort((a, b) => b - a);
  return { list, last: () => undefined, close: () => undefined };
}
