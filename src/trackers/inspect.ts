import { classifyBlock } from '../agents/classify-block.ts';
import type { AgentProfile } from '../agents/profile.ts';
import type { MarksReader } from '../calls/read-marks.ts';
import type { BlockRecord, BlockStatus, Member, Role } from '../model/block.ts';
import type { Evidence } from '../model/evidence.ts';
import { isGone, type ProcessStat } from '../model/process.ts';
import type { Platform } from '../platform/platform.ts';
import { sessionOf } from '../platform/sessions.ts';
import type { Win32 } from '../platform/windows/ffi-call.ts';
import { isEnclosed, openEnclosures, withoutEnclosure } from './enclosures.ts';
import { joinTrackers } from './family-tracker.ts';
import { type Look, takeLook } from './look.ts';
import { countZombies } from './scan-members.ts';
import { findOutside } from './second-net.ts';
import { placeOf, statusOf } from './status.ts';
import type { ReadRecorded } from './subject.ts';

/** A live member with what the status line told and what it is to its block. */
export interface MemberView extends Member {
  /** Undefined if the process cannot be looked at (hidepid). */
  readonly stat: ProcessStat | undefined;
  readonly role: Role;
  /** Why it has this role, e.g. `session of its own`, `shell above it`, `launched as the agent`. */
  readonly because: string;
  readonly evidence: Evidence;
  /** Argument vector and executable, read for the rule; undefined if unreadable. */
  readonly argv: readonly string[] | undefined;
  readonly exe: string | undefined;
}

/** A block as it is now. */
export interface BlockView {
  readonly record: BlockRecord;
  readonly status: BlockStatus;
  /** Live members, zombies left out, in no particular order. Empty for `elsewhere` and for the stub tracker. */
  readonly members: readonly MemberView[];
  /** Zombies of the tree, folded: how many, by parent pid. */
  readonly zombies: ReadonlyMap<number, number>;
  /** CPU of all members incl. exited where the kernel accounts it, else of the live ones, ms; undefined if unknown. */
  readonly cpuMs: number | undefined;
  readonly cpuIncludesExited: boolean;
  /** True if the wrapper of the last run lives. */
  readonly wrapperAlive: boolean;
}

/** What looking at blocks needs. */
export interface InspectDeps {
  readonly platform: Platform;
  /** Members seen before, by block id (Store.recorded). */
  readonly recorded: ReadRecorded;
  /** The native calls of Windows; those of this process if left out. */
  readonly win32?: Win32;
  /** Records of all blocks, of which the child blocks count. */
  readonly records: readonly BlockRecord[];
  /** A look taken before, where several blocks are shown; else one is taken. */
  readonly look?: Look;
  /** Reads and remembers what agents told of the members; without it sessions and the rule alone decide what each is. */
  readonly marks?: MarksReader;
}

/** Looks at one block: its enclosure, the second net, the status, and what each member is. Throws nothing of its own. */
export function inspectBlock(recorded: BlockRecord, deps: InspectDeps): BlockView {
  const { platform } = deps;
  if (placeOf(recorded, platform.host()) !== 'here' || recorded.tracker.type === 'stub') {
    return emptyView(recorded, platform);
  }
  const look = deps.look ?? takeLook(platform, [recorded, ...deps.records]);
  const enclosures = openEnclosures(recorded, platform, deps.records, deps.win32);
  const record = enclosures.lost === undefined ? recorded : withoutEnclosure(recorded, enclosures.lost);
  const all = [...(enclosures.own ? [enclosures.own] : []), ...enclosures.children, ...enclosures.kept];
  const enclosed = readEnclosed(
    all.flatMap((tracker) => tracker.memberPids()),
    platform,
    look,
    () => all.flatMap((tracker) => tracker.memberPids()),
  );
  // A wrapper is in the group for the moment in which it starts the agent.
  for (const { wrapper } of record.runs) {
    if (enclosed.get(wrapper.pid)?.startTicks === wrapper.startTicks) enclosed.delete(wrapper.pid);
  }
  const outside = findOutside(record, new Set(enclosed.keys()), {
    ...deps,
    look,
    enclosedNow: () => new Set(all.flatMap((tracker) => tracker.memberPids())),
  });
  const members: Seen[] = [
    ...[...enclosed].map(([pid, stat]) => enclosedMember(pid, stat)),
    ...outside.map(({ stat, source }): Seen => {
      const escaped = isEnclosed(record);
      return { pid: stat.pid, startTicks: stat.startTicks, source, confidence: 'best_effort', escaped, stat };
    }),
  ];
  const own = enclosures.own && joinTrackers(enclosures.own, [...enclosures.children, ...enclosures.kept]);
  const cpuNs = outside.length === 0 ? own?.cpuTimeNs() : undefined;
  return {
    // A job without members is gone as a rule: only of what lives it matters how it was found.
    record: members.length > 0 ? record : recorded,
    status: findStatus(record, platform, members.length > 0),
    members: describe(record, deps, members),
    zombies: countZombies(look.table, new Set(members.map((member) => member.pid))),
    cpuMs: cpuNs === undefined ? sumCpu(members) : cpuNs / 1e6,
    cpuIncludesExited: cpuNs !== undefined,
    wrapperAlive: isWrapperAlive(record, platform),
  };
}

/** Looks at several blocks at the price of one process table. */
export function inspectBlocks(records: readonly BlockRecord[], deps: InspectDeps): BlockView[] {
  const look = deps.look ?? takeLook(deps.platform, [...records, ...deps.records]);
  return records.map((record) => inspectBlock(record, { ...deps, look }));
}

interface Seen extends Member {
  readonly stat: ProcessStat | undefined;
}

function emptyView(record: BlockRecord, platform: Platform): BlockView {
  return {
    record,
    status: findStatus(record, platform, false),
    members: [],
    zombies: new Map(),
    cpuMs: undefined,
    cpuIncludesExited: false,
    wrapperAlive: isWrapperAlive(record, platform),
  };
}

/** Status lines of the pids; undefined for one that is still listed but cannot be seen (hidepid). */
function readEnclosed(
  pids: readonly number[],
  platform: Platform,
  look: Look,
  again: () => number[],
): Map<number, ProcessStat | undefined> {
  const stats = new Map<number, ProcessStat | undefined>();
  for (const pid of new Set(pids)) stats.set(pid, look.stat(pid) ?? platform.readStat(pid));
  const unseen = [...stats].filter(([, stat]) => !stat).map(([pid]) => pid);
  const listed = unseen.length > 0 ? new Set(again()) : undefined;
  for (const pid of unseen) if (!listed?.has(pid)) stats.delete(pid);
  for (const [pid, stat] of stats) if (stat && isGone(stat)) stats.delete(pid);
  return stats;
}

function enclosedMember(pid: number, stat: ProcessStat | undefined): Seen {
  return { pid, startTicks: stat?.startTicks, source: 'enclosure', confidence: 'high', escaped: false, stat };
}

function findStatus(record: BlockRecord, platform: Platform, hasMembers: boolean): BlockStatus {
  const root = record.runs.at(-1)?.root;
  return statusOf(record, {
    host: platform.host(),
    wrapperAlive: isWrapperAlive(record, platform),
    rootAlive: root !== undefined && platform.isAlive(root),
    hasMembers,
  });
}

function isWrapperAlive(record: BlockRecord, platform: Platform): boolean {
  const wrapper = record.runs.at(-1)?.wrapper;
  return wrapper !== undefined && platform.isAlive(wrapper);
}

function describe(record: BlockRecord, { platform, marks }: InspectDeps, members: readonly Seen[]): MemberView[] {
  if (members.length === 0) return [];
  const seen = members.map((member) => {
    const { argv, exe } = member.stat
      ? platform.readDetails(member.pid, { argv: true, exe: true })
      : { argv: undefined, exe: undefined };
    const { pid, startTicks, source, confidence, escaped, stat } = member;
    return { pid, startTicks, source, confidence, escaped, stat, argv, exe };
  });
  const processes = seen.map(({ pid, startTicks, stat, argv, exe }) => {
    return { pid, startTicks, ppid: stat?.ppid, sid: sessionOf(platform, stat), comm: stat?.comm, argv, exe };
  });
  const roots = [
    ...record.runs.flatMap(({ root }) => root ?? []),
    ...findUnrecordedRoots(record, platform, members),
  ].map(({ pid, startTicks }) => ({ pid, startTicks, agent: record.agent }));
  let ended: ReadonlySet<number> = new Set();
  const ask = (reader: MarksReader) => (agents: readonly AgentProfile[]) => {
    const read = reader.read(record.id, processes, agents);
    ended = read.ended;
    return read;
  };
  const result = classifyBlock(processes, roots, marks && ask(marks));
  marks?.remember(record.id, result);
  return seen
    .filter(({ pid }) => !ended.has(pid))
    .map(({ pid, startTicks, source, confidence, escaped, stat, argv, exe }) => {
      const { role, because, evidence } = result.roles.get(pid) ?? UNSEEN;
      return { pid, startTicks, source, confidence, escaped, stat, argv, exe, role, because, evidence };
    });
}

/** Between the start of an agent and its record: what the wrapper starts is the agent. */
function findUnrecordedRoots(record: BlockRecord, platform: Platform, members: readonly Seen[]): RecordedPlace[] {
  const run = record.runs.at(-1);
  if (run === undefined || run.root !== undefined || !platform.isAlive(run.wrapper)) return [];
  const { pid: wrapperPid } = run.wrapper;
  return members.flatMap(({ pid, stat }) => (stat?.ppid === wrapperPid ? { pid, startTicks: stat.startTicks } : []));
}

type RecordedPlace = Pick<ProcessStat, 'pid' | 'startTicks'>;

const UNSEEN: Pick<MemberView, 'role' | 'because' | 'evidence'> = {
  role: 'started',
  because: 'cannot be looked at',
  evidence: { kind: 'rule', mark: undefined, session: undefined, taskId: undefined, callId: undefined },
};

/** Of what has exited it is not known what it used: a block without members has no sum. */
function sumCpu(members: readonly Seen[]): number | undefined {
  if (members.length === 0) return undefined;
  const known = members.filter((member) => member.stat);
  return known.length === members.length ? known.reduce((sum, { stat }) => sum + (stat?.cpuMs ?? 0), 0) : undefined;
}
