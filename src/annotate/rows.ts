import { recogniseAgent } from '../agents/recognise.ts';
import type { Member, Role } from '../model/block.ts';
import type { Call } from '../model/call.ts';
import type { Evidence } from '../model/evidence.ts';
import { exactArgv, type Listener, type ProcessDetails, type ProcessStat } from '../model/process.ts';
import type { ProcessRow } from '../model/row.ts';
import { createLabeller } from './call-label.ts';
import { describeCommand } from './command.ts';
import { noteOnProgram } from './known-programs.ts';
import { assignListeners } from './listeners.ts';
import { redactArgv, redactText } from './redact.ts';

/** A member as trackers/inspect.ts gives it. */
export interface RowMember extends Member {
  readonly stat: ProcessStat | undefined;
  readonly role: Role;
  readonly because: string;
  readonly evidence: Evidence;
  readonly argv: readonly string[] | undefined;
  readonly exe: string | undefined;
}

/** All that rows are joined from. What is left out was not asked for and is unknown in the rows. */
export interface RowsInput {
  readonly blockId: string;
  readonly members: readonly RowMember[];
  readonly details?: ReadonlyMap<number, ProcessDetails>;
  readonly listeners?: {
    readonly byPid: ReadonlyMap<number, readonly Listener[]>;
    readonly denied: ReadonlySet<number>;
  };
  /** Wall clock, ms since the epoch. */
  readonly nowMs: number;
  /** Start as wall clock, for raw start times. */
  readonly startedAtMs: (startTicks: number) => number;
  /** Name of a terminal by its device number. */
  readonly ttyName?: (ttyNr: number) => string | undefined;
  /** False for `--no-redact`. */
  readonly redact: boolean;
  /** The calls of members, the ids of their entries, and which are kept, by pid. */
  readonly calls?: ReadonlyMap<number, Call>;
  readonly entries?: ReadonlyMap<number, { readonly id: string }>;
  readonly kept?: { has(pid: number): boolean };
  /** describeTexts, or a reader that remembers what it said: redaction is by far the dearest part of a row. */
  readonly describe?: typeof describeTexts;
}

/** One row a member, in the order of the members. */
export function buildRows(input: RowsInput): ProcessRow[] {
  const sockets = assignListeners(input.members.map(toHolder), input.listeners);
  const labelOf = createLabeller(input.redact);
  return input.members.map((member) => {
    const { stat } = member;
    const texts = (input.describe ?? describeTexts)(member, input.details?.get(member.pid), input.redact);
    const { label, redacted } = labelOf(input.calls?.get(member.pid));
    const startTicks = stat?.startTicks ?? member.startTicks;
    const startedAtMs = startTicks === undefined ? undefined : input.startedAtMs(startTicks);
    const ageMs = startedAtMs === undefined ? undefined : Math.max(0, input.nowMs - startedAtMs);
    return {
      blockId: input.blockId,
      pid: member.pid,
      parentPid: stat?.ppid,
      startTicks,
      startedAtMs,
      ageMs,
      state: stat?.state,
      cpuMs: stat?.cpuMs,
      cpuPercent: averagePercent(stat?.cpuMs, ageMs),
      rssBytes: stat?.rssBytes,
      // 0 is none: Windows has neither, and one of outside our pid namespace has no number here.
      pgid: stat?.pgid || undefined,
      sid: stat?.sid || undefined,
      tty: stat === undefined || stat.ttyNr === 0 ? undefined : input.ttyName?.(stat.ttyNr),
      listeners: sockets.get(member.pid)?.owned,
      sharedListeners: sockets.get(member.pid)?.shared ?? [],
      ...texts,
      role: member.role,
      because: member.because,
      evidence: member.evidence,
      label,
      entry: input.entries?.get(member.pid)?.id,
      kept: input.kept?.has(member.pid) ?? false,
      redacted: texts.redacted || redacted,
      source: member.source,
      confidence: member.confidence,
      escaped: member.escaped,
    };
  });
}

function toHolder(member: RowMember) {
  return {
    pid: member.pid,
    parentPid: member.stat?.ppid,
    startTicks: member.stat?.startTicks ?? member.startTicks,
  };
}

/** Percent of one core on average since the start. A process younger than a clock tick has no average yet. */
export function averagePercent(cpuMs: number | undefined, ageMs: number | undefined): number | undefined {
  return cpuMs === undefined || ageMs === undefined || ageMs < SHORTEST_AGE_MS
    ? undefined
    : Math.round((cpuMs / ageMs) * 1000) / 10;
}

const SHORTEST_AGE_MS = 10;

/** What a row says that is not a number of the status line. */
export type RowTexts = Pick<
  ProcessRow,
  | 'comm'
  | 'command'
  | 'argv'
  | 'commandBase64'
  | 'exe'
  | 'cwd'
  | 'uid'
  | 'privateBytes'
  | 'innerPid'
  | 'agent'
  | 'note'
  | 'redacted'
>;

/** Argv, short name and command of a process, redacted where that is asked for. */
export function describeProcess(
  argv: readonly string[] | undefined,
  comm: string | undefined,
  redact: boolean,
): Pick<RowTexts, 'argv' | 'comm' | 'command' | 'redacted'> {
  const shown = argv === undefined || !redact ? { argv, redacted: false } : redactArgv(argv);
  const shownComm = comm === undefined || !redact ? { text: comm, redacted: false } : redactText(comm);
  return {
    argv: exactArgv(shown.argv),
    comm: shownComm.text,
    command: describeCommand(shown.argv, shownComm.text, shown.redacted),
    redacted: shown.redacted || shownComm.redacted,
  };
}

/** The texts of a row, redacted where that is asked for. */
export function describeTexts(member: RowMember, details: ProcessDetails | undefined, redact: boolean): RowTexts {
  const argv = details?.argv ?? member.argv;
  const exe = details?.exe ?? member.exe;
  const comm = member.stat?.comm;
  const texts = describeProcess(argv, comm, redact);
  const bytes = details?.argvBytes;
  // By name: of an object that begins with a spread V8 makes each further field some microseconds dearer.
  return {
    argv: texts.argv,
    comm: texts.comm,
    command: texts.command,
    redacted: texts.redacted,
    // The bytes would tell what the text hides.
    commandBase64: bytes === undefined || texts.redacted ? undefined : toBase64(bytes),
    exe,
    cwd: details?.cwd,
    uid: details?.uid,
    privateBytes: details?.privateBytes,
    innerPid: details?.innerPid,
    agent: recogniseAgent({ exe, argv, comm })?.id,
    note: noteOnProgram({ exe, argv, comm }),
  };
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) {
    binary += String.fromCharCode(byte);
  }
  return btoa(binary);
}
