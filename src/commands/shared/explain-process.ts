import { type AncestryBlock, traceAncestry } from '../../annotate/ancestry.ts';
import { displayName } from '../../annotate/display-name.ts';
import { noteOnProgram } from '../../annotate/known-programs.ts';
import { redactText } from '../../annotate/redact.ts';
import { describeProcess } from '../../annotate/rows.ts';
import {
  adviseEnd,
  type WhyAncestor,
  type WhyAnswer,
  type WhyBelow,
  type WhyCall,
  type WhyUnit,
} from '../../annotate/why.ts';
import { readCallProcesses } from '../../calls/call-processes.ts';
import { joinCalls, labelProcesses } from '../../calls/join.ts';
import { readCalls } from '../../calls/read-calls.ts';
import type { Context } from '../../context.ts';
import type { BlockRecord, RunRecord } from '../../model/block.ts';
import type { Call } from '../../model/call.ts';
import { isGone, type ProcessStat } from '../../model/process.ts';
import { findGitWorktree } from '../../platform/git-worktree.ts';
import { readGroupPath } from '../../platform/linux/cgroup-mount.ts';
import { isSystemdHost, parseUnitPlace } from '../../platform/linux/systemd.ts';
import { callsDirectoryOf } from '../../state/calls-directory.ts';
import type { BlockView, MemberView } from '../../trackers/inspect.ts';
import { liveParent, type Membership } from './membership.ts';

/** All that is known of why a live process runs. */
export function explainProcess(
  context: Context,
  membership: Membership,
  stat: ProcessStat,
  options: { readonly redact: boolean },
): WhyAnswer {
  const { platform } = context;
  const { pid, startTicks } = stat;
  const found = membership.findMember(pid);
  const wrapped = found === undefined ? membership.findWrapper(stat) : undefined;
  const details = platform.readDetails(pid, { argv: true, exe: true, cwd: true, status: true });
  const { byPid, denied } = platform.readListeners([pid]);
  const startedAtMs = platform.startedAtMs(startTicks);
  const call = found === undefined ? undefined : findCallOf(context, found.view, pid);
  const unit = findUnit(pid);
  const { command, redacted } = describeProcess(details.argv, stat.comm, options.redact);
  const answer: Omit<WhyAnswer, 'end'> = {
    kind: found !== undefined ? 'member' : wrapped !== undefined ? 'wrapper' : 'untracked',
    pid,
    startTicks,
    startedAtMs,
    ageMs: Math.max(0, context.now() - startedAtMs),
    command,
    redacted,
    note: noteOnProgram({ exe: details.exe, argv: details.argv, comm: stat.comm }),
    uid: details.uid,
    tty: stat.ttyNr === 0 ? undefined : platform.ttyName(stat.ttyNr),
    pgid: stat.pgid || undefined,
    sid: stat.sid || undefined,
    cwd: details.cwd,
    worktree: details.cwd === undefined ? undefined : findGitWorktree(details.cwd),
    listeners: denied.has(pid) ? undefined : (byPid.get(pid) ?? []),
    below: lookBelow(context, membership, pid),
    block: describeBlock(found?.view.record ?? wrapped?.record, membership, wrapped?.run),
    membership: found && describeMembership(found.member),
    call: call && describeCall(call, options.redact),
    ancestry: describeAncestry(context, membership, stat, found?.view, call, options.redact),
    unit: unit && { name: unit.name, type: unit.type },
  };
  return { ...answer, end: adviseEnd(answer, unit?.isReachable ?? false, platform.endsByForce && 'taskkill /f /pid') };
}

function findCallOf(context: Context, { record, members }: BlockView, pid: number): Call | undefined {
  const directory = callsDirectoryOf(context.store.directory, record.id);
  const records = readCalls(directory, process.geteuid?.());
  const processes = readCallProcesses(
    members.map((member) => member.pid),
    context.platform,
  );
  return labelProcesses(joinCalls(records), processes).get(pid);
}

function describeCall({ toolId, description, command, atMs, background }: Call, redact: boolean): WhyCall {
  const shown = (text: string | undefined) => (text === undefined || !redact ? text : redactText(text).text);
  return { toolId, description: shown(description), command: shown(command), atMs, background };
}

function describeMembership({ role, because, evidence, source, confidence, escaped }: MemberView) {
  return { role, because, evidence, source, confidence, escaped };
}

function describeBlock(record: BlockRecord | undefined, { lookup }: Membership, run?: RunRecord) {
  if (record === undefined) return undefined;
  const rootPid = (run ?? record.runs.at(-1))?.root?.pid;
  const { status } = lookup.view(record);
  return { id: record.id, agent: record.agent, status, tracker: record.tracker.type, rootPid };
}

function lookBelow(context: Context, { table }: Membership, pid: number): WhyBelow {
  const children = new Map<number, number[]>();
  for (const stat of table.values()) {
    const parent = isGone(stat) ? undefined : liveParent(table, stat.pid);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), stat.pid]);
  }
  const below: number[] = [];
  const stack = [pid];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const next = (children.get(at) ?? []).filter((child) => child !== pid && !below.includes(child));
    below.push(...next);
    stack.push(...next);
  }
  // The first process of a system has everything below it, which tells nobody anything.
  const asked = pid === 1 ? [] : below;
  const ports = [...context.platform.readListeners(asked).byPid.values()].flat().map(({ port }) => port);
  return { processes: below.length, ports: [...new Set(ports)].sort((a, b) => a - b) };
}

function describeAncestry(
  context: Context,
  { table, findMember }: Membership,
  stat: ProcessStat,
  view: BlockView | undefined,
  call: Call | undefined,
  redact: boolean,
): WhyAncestor[] {
  const block: AncestryBlock | undefined = view && {
    members: new Set(view.members.map((member) => member.pid)),
    runs: view.record.runs,
    callPid: call?.pid,
  };
  // A zombie has exited, whoever has not taken notice yet.
  const living = new Map([...table].filter(([, one]) => !isGone(one))).set(stat.pid, stat);
  const chain = traceAncestry(stat.pid, living, block) ?? [];
  return chain.map((ancestor) => {
    const { pid, status, link } = ancestor;
    const role = link === 'wrapper' ? link : link === 'root' ? link : undefined;
    if (pid === undefined || status === 'exited') return { ...ancestor, name: undefined, command: undefined, role };
    const { argv, exe } = context.platform.readDetails(pid, { argv: true, exe: true });
    const comm = table.get(pid)?.comm;
    const { command } = describeProcess(argv, comm, redact);
    return { ...ancestor, name: displayName({ argv, exe, comm }), command, role: role ?? findMember(pid)?.member.role };
  });
}

interface ReachableUnit extends WhyUnit {
  readonly isReachable: boolean;
}

function findUnit(pid: number): ReachableUnit | undefined {
  const path = readGroupPath(pid);
  const place = path === undefined ? ({ type: 'none' } as const) : parseUnitPlace(path);
  if (place.type === 'none') return undefined;
  const isOwn = place.type !== 'user-unit' || place.uid === process.geteuid?.();
  return { name: place.unit, type: place.type, isReachable: isOwn && isSystemdHost() };
}
