import type { Call } from '../model/call.ts';
import { claimRecords } from './claim.ts';
import type { HookRecord } from './hook-record.ts';
import { type CallReport, isReportOf, selectReports } from './report.ts';
import type { ShellRecord } from './shell-record.ts';

/** Everything that was written about the calls of a block; see readCalls. */
export interface CallRecords {
  /** The directory of the records: the value of AGENTMUX_CALLS. */
  readonly directory: string;
  readonly hooks: readonly HookRecord[];
  readonly shells: readonly ShellRecord[];
  /** In the order in which they came. */
  readonly reports: readonly CallReport[];
}

/** The calls of a block, ready to be looked up. */
export interface CallIndex {
  readonly directory: string;
  /** Every call that started a shell, oldest first. Denied calls are none. */
  readonly calls: readonly Call[];
  /** By the name of the shell's record. */
  readonly byName: ReadonlyMap<string, Call>;
  /** Calls by the session that they got, oldest first: numbers are used again. */
  readonly bySid: ReadonlyMap<number, readonly Call[]>;
  readonly byToolId: ReadonlyMap<string, Call>;
  readonly reports: ReadonlyMap<number, CallReport>;
}

/** A process as calls look at it; `undefined` is unknown. */
export interface CallProcess {
  readonly pid: number;
  readonly ppid: number | undefined;
  readonly sid: number | undefined;
  readonly startTicks: number | undefined;
  /** Wall clock, ms; for reports. */
  readonly startedAtMs: number | undefined;
  /** Its AGENTMUX_CALL, else what the agent put there as the id of the call (CODEX_TOOL_CALL_ID). */
  readonly mark: string | undefined;
  /** Its agent session as its environment names it; another session than the call's takes the label away. */
  readonly sessionId: string | undefined;
}

/** Joins the records. Pure. */
export function joinCalls(records: CallRecords): CallIndex {
  const claims = claimRecords(records.hooks, records.shells);
  const shells = [...records.shells].sort((a, b) => a.atMs - b.atMs);
  const byName = new Map<string, Call>();
  for (const shell of shells) {
    const { pid, startTicks, sid, sessionId, atMs } = shell;
    const { toolId, description, background, command = shell.command } = claims.get(shell) ?? noClaim;
    byName.set(shell.name, { toolId, description, command, background, pid, startTicks, sid, sessionId, atMs });
  }
  const calls = [...byName.values()];
  const bySid = new Map<number, Call[]>();
  const byToolId = new Map<string, Call>();
  for (const call of calls) {
    // 0 is any session that was made outside of our pid namespace.
    if (call.sid !== undefined && call.sid > 0) bySid.set(call.sid, [...(bySid.get(call.sid) ?? []), call]);
    if (call.toolId !== undefined) byToolId.set(call.toolId, call);
  }
  const reports = new Map(selectReports(records.reports).map((report) => [report.pid, report]));
  return { directory: records.directory, calls, byName, bySid, byToolId, reports };
}

const noClaim = { toolId: undefined, description: undefined, background: undefined, command: undefined } as const;

/**
 * The call that each process belongs to, by pid; processes of no call are left out. In this order: the mark in its
 * environment, a report of its pid, the session that the agent made for the call, what was remembered of it, and the call
 * of its parent. Give the whole block at once, so that parents are found. Never a guess: where identities contradict
 * each other there is no label. Pure.
 */
export function labelProcesses(
  index: CallIndex,
  processes: Iterable<CallProcess>,
  remembered: (process: CallProcess) => Call | undefined = () => undefined,
): ReadonlyMap<number, Call> {
  const table = new Map(Array.from(processes, (process) => [process.pid, process]));
  const labels = new Map<number, Call | undefined>();
  const byMark = new Map<string, Call>();
  const ownCall = (process: CallProcess): Call | undefined =>
    findMarked(index, process, byMark) ?? findReported(index, process) ?? findSession(index, process, table);
  for (const process of table.values()) {
    const chain: CallProcess[] = [];
    let at: CallProcess | undefined = process;
    let label: Call | undefined;
    while (at !== undefined && !labels.has(at.pid) && !chain.includes(at)) {
      chain.push(at);
      label = ownCall(at) ?? remembered(at);
      if (label !== undefined) break;
      at = findParent(at, table);
    }
    label ??= at === undefined ? undefined : labels.get(at.pid);
    for (const { pid } of chain) labels.set(pid, label);
  }
  return new Map([...labels].filter((entry): entry is [number, Call] => entry[1] !== undefined));
}

/** The call of one process and those above it; see labelProcesses. */
export function findCall(index: CallIndex, pid: number, processes: Iterable<CallProcess>): Call | undefined {
  return labelProcesses(index, processes).get(pid);
}

/** A mark of ours names the record, and so the block; a mark of the agent's is the id of the call. */
function findMarked(index: CallIndex, process: CallProcess, known: Map<string, Call>): Call | undefined {
  const { mark } = process;
  if (mark === undefined || mark === '') return undefined;
  if (!mark.startsWith('/')) return findMarkedById(index, process, mark, known);
  const isOfBlock = mark.startsWith(`${index.directory}/`);
  const call = isOfBlock ? index.byName.get(mark.slice(index.directory.length + 1)) : undefined;
  return call === undefined || isOlder(process, call) ? undefined : call;
}

function findMarkedById(index: CallIndex, process: CallProcess, id: string, known: Map<string, Call>): Call {
  const call = index.byToolId.get(id) ?? known.get(id) ?? { ...unknownCall, toolId: id, sessionId: process.sessionId };
  known.set(id, call);
  return call;
}

const unknownCall: Call = {
  ...noClaim,
  pid: undefined,
  startTicks: undefined,
  sid: undefined,
  sessionId: undefined,
  atMs: undefined,
};

function findReported(index: CallIndex, process: CallProcess): Call | undefined {
  const report = index.reports.get(process.pid);
  if (report === undefined || !isReportOf(report, process.startedAtMs)) return undefined;
  const { toolId, pid, description, atMs } = report;
  const call = index.byToolId.get(toolId) ?? { ...unknownCall, toolId, pid, atMs, startTicks: process.startTicks };
  return { ...call, description: description ?? call.description };
}

/**
 * A session's number is not used again while a process is in it, so of the calls that had it the last that is no younger
 * than the process is its own; unless the number went to a leader that is no shell of a call.
 */
function findSession(
  index: CallIndex,
  process: CallProcess,
  table: ReadonlyMap<number, CallProcess>,
): Call | undefined {
  const { sid, sessionId } = process;
  if (sid === undefined) return undefined;
  const call = index.bySid.get(sid)?.findLast((one) => !isOlder(process, one));
  if (call === undefined || isDifferent(sessionId, call.sessionId)) return undefined;
  const isTaken = call.pid === sid && isDifferent(table.get(sid)?.startTicks, call.startTicks);
  return isTaken ? undefined : call;
}

function isOlder(process: CallProcess, call: Call): boolean {
  return process.startTicks !== undefined && call.startTicks !== undefined && process.startTicks < call.startTicks;
}

function isDifferent<T>(a: T | undefined, b: T | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

/** The number of a parent that ended can be another's: a parent is no younger than its child. */
function findParent(process: CallProcess, table: ReadonlyMap<number, CallProcess>): CallProcess | undefined {
  const parent = process.ppid === undefined ? undefined : table.get(process.ppid);
  if (parent?.startTicks === undefined || process.startTicks === undefined) return undefined;
  return parent.startTicks <= process.startTicks ? parent : undefined;
}
