import { baseName, isConhost } from '../filter/shells.ts';
import type { Member, TrackerReason, TrackerRecord } from '../model/block.ts';
import type { Identity } from '../model/identity.ts';
import type { Platform } from '../platform/platform.ts';
import { type ChasePids, chase } from './chase.ts';
import { withoutHelpers } from './helpers.ts';
import { createPidKeeper } from './pid-keeper.ts';
import { setNiceness } from './priority.ts';
import { type FoundMember, findMembers, type SeenProcess, type WrapperIdentity } from './scan-members.ts';
import type { ScanSubject } from './subject.ts';
import { createTagReader } from './tag-reader.ts';
import type { KillTreeOptions, Tracker } from './tracker.ts';

export interface ScanTrackerOptions {
  readonly record: TrackerRecord;
  readonly platform: Platform;
  /** Asked at each look, since roots and records grow. */
  subject(): ScanSubject;
  /** Opens the pids in use for a chase; `close` is called after it. */
  openPids(): ChasePids & { close(): void };
  /** Told of members not seen before, so that they can be recorded and stay members. */
  onSeen?(members: readonly SeenProcess[]): void;
  /** Keeps pids of members between two looks (Platform.keepPid), for who looks regularly and disposes in the end. */
  readonly keepPid?: Platform['keepPid'];
}

/** What a block file says of a scanned block. `subreaper` is set by the run once the kernel agreed. */
export function scanRecord(reasons: readonly TrackerReason[]): TrackerRecord {
  return {
    type: 'scan',
    confidence: 'best_effort',
    reasons,
    cgroupPath: undefined,
    scope: undefined,
    subreaper: false,
  };
}

/** Finds members by root, tag, descent and what was seen before (scan-members.ts); keeps what it saw. */
export function createScanTracker(options: ScanTrackerOptions): Tracker {
  const { platform } = options;
  const adoptsOrphans = platform.os === 'linux';
  const assigned: Identity[] = [];
  let seen = new Map<number, SeenProcess>();
  /** What setFrozen stopped: whoever was stopped before stays so when the rest is thawed. */
  let stopped: Identity[] = [];
  let tags: ReadonlySet<string> = new Set();
  let isTagged = createTagReader(platform, tags);
  const pids = createPidKeeper(options.keepPid, () => platform.host().pidNamespace);

  function readSubject(): ScanSubject {
    const subject = options.subject();
    if (subject.tags.size !== tags.size || [...subject.tags].some((tag) => !tags.has(tag))) {
      tags = subject.tags;
      isTagged = createTagReader(platform, tags);
    }
    return {
      ...subject,
      wrappers: subject.wrappers.map((wrapper) => ({ childrenSince: assigned[0]?.startTicks, ...wrapper })),
      roots: [...subject.roots, ...assigned],
      recorded: [...subject.recorded, ...seen.values()],
      sinceTicks: Math.min(subject.sinceTicks, ...assigned.map((root) => root.startTicks)),
    };
  }

  function find(): FoundMember[] {
    const subject = readSubject();
    const found = findMembers({
      ...subject,
      keptPids: pids.kept(),
      table: withoutHelpers(platform.readTable(), platform, subject.wrappers),
      countsGroups: !adoptsOrphans,
      host: platform.host(),
      enclosed: new Set(),
      isTagged,
    });
    remember(found);
    return found;
  }

  function remember(found: readonly FoundMember[]): void {
    const { bootId } = platform.host();
    const now = found.map(({ stat }) => ({ pid: stat.pid, startTicks: stat.startTicks, bootId }));
    const news = now.filter((member) => seen.get(member.pid)?.startTicks !== member.startTicks);
    seen = new Map(now.map((member) => [member.pid, member]));
    pids.update(now);
    if (news.length > 0) options.onSeen?.(news);
  }

  /** Children that the wrapper had before it started anything. */
  function olderChildrenOf({ pid, childrenSince = 0 }: WrapperIdentity): number[] {
    return platform.children(pid).filter((child) => (platform.readStat(child)?.startTicks ?? 0) < childrenSince);
  }

  async function killTree({ deadlineMs, spare = new Set() }: KillTreeOptions): Promise<Member[]> {
    const subject = readSubject();
    const wrappers = subject.wrappers.filter((wrapper) => platform.isAlive(wrapper));
    const end = Date.now() + deadlineMs;
    const spared = [
      ...spare,
      ...wrappers.flatMap((wrapper) => [wrapper.pid, ...ancestorsOf(wrapper.pid), ...olderChildrenOf(wrapper)]),
    ];
    const known = find();
    // Last, and seldom needed: who loses its console ends by itself, as if it had been asked to.
    const consoles = known.filter(({ stat }) => isConhost(baseName(stat.comm)));
    const hunt = async (targets: readonly FoundMember[], untouched: readonly number[]) => {
      const open = options.openPids();
      try {
        await chase({
          ...{ platform, pids: open, known: targets.map(toIdentity), isMember: isTagged },
          adopters: adoptsOrphans ? wrappers : [],
          spare: new Set(untouched),
          sinceTicks: subject.sinceTicks,
          deadlineMs: Math.max(0, end - Date.now()),
        });
      } finally {
        open.close();
      }
    };
    const hosts = consoles.map(({ stat }) => stat.pid);
    await hunt(
      known.filter(({ stat }) => !hosts.includes(stat.pid)),
      [...spared, ...hosts],
    );
    if (consoles.some((host) => platform.isAlive(toIdentity(host)))) await hunt(consoles, spared);
    const findLeft = () => find().filter((member) => !spare.has(member.stat.pid));
    let left = findLeft();
    // A chase knows tags and children. What members started meanwhile may be told by their group alone.
    for (let round = 0; !adoptsOrphans && left.length > 0 && round < GROUP_ROUNDS && Date.now() < end; round += 1) {
      await hunt(left, spared);
      left = findLeft();
    }
    return left.map(toMember);
  }

  function ancestorsOf(pid: number): number[] {
    const ancestors: number[] = [];
    for (let stat = platform.readStat(pid); stat && stat.ppid > 0; stat = platform.readStat(stat.ppid)) {
      ancestors.push(stat.ppid);
    }
    return ancestors;
  }

  function toIdentity({ stat }: FoundMember): Identity {
    const { bootId, pidNamespace } = platform.host();
    return { pid: stat.pid, startTicks: stat.startTicks, bootId, pidNamespace };
  }

  /** A process that is not stopped yet can still fork: looks again until nothing new is awake. */
  function freeze(): boolean {
    const asked = new Set(stopped.map(({ pid, startTicks }) => `${pid}:${startTicks}`));
    for (let round = 0; round < FREEZE_ROUNDS; round += 1) {
      const awake = find()
        .filter(({ stat }) => stat.pid !== process.pid && stat.state !== 'T')
        .map(toIdentity)
        .filter(({ pid, startTicks }) => !asked.has(`${pid}:${startTicks}`));
      if (awake.length === 0) return true;
      for (const { pid, startTicks } of awake) asked.add(`${pid}:${startTicks}`);
      const outcomes = awake.map((identity) => platform.signal(identity, 'SIGSTOP'));
      if (outcomes.includes('unsupported')) return false;
      stopped.push(...awake.filter((_, index) => outcomes[index] === 'sent'));
    }
    return true;
  }

  function thaw(): boolean {
    for (const identity of stopped) platform.signal(identity, 'SIGCONT');
    stopped = [];
    return true;
  }

  function signalAll(found: readonly FoundMember[], signal: NodeJS.Signals): boolean {
    let sent = false;
    for (const member of found) sent = platform.signal(toIdentity(member), signal) === 'sent' || sent;
    return sent;
  }

  return {
    type: 'scan',
    confidence: 'best_effort',
    record: options.record,
    spawnInside: (spawn) => spawn(),
    assign: (root) => void assigned.push(root),
    memberPids: () => find().map(({ stat }) => stat.pid),
    members: () => find().map(toMember),
    killTree,
    killPid(identity) {
      const isMember = find().some(({ stat }) => stat.pid === identity.pid && stat.startTicks === identity.startTicks);
      return isMember ? platform.signal(identity, 'SIGKILL') : 'not-member';
    },
    terminate() {
      const found = find();
      const asked = signalAll(found, 'SIGTERM');
      signalAll(
        found.filter(({ stat }) => stat.state === 'T'),
        'SIGCONT',
      );
      return asked;
    },
    setFrozen(frozen) {
      if (!frozen) return thaw();
      return freeze();
    },
    setBelowNormalPriority: (on) => setNiceness(() => find().map(({ stat }) => stat.pid), on),
    cpuTimeNs: () => undefined,
    oomKills: () => undefined,
    dispose: () => pids.close(),
  };
}

/** Each round costs a process table. */
const FREEZE_ROUNDS = 10;
const GROUP_ROUNDS = 3;

function toMember({ stat, source }: FoundMember): Member {
  return { pid: stat.pid, startTicks: stat.startTicks, source, confidence: 'best_effort', escaped: false };
}
