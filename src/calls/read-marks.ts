import { markVariables, parseMarks, parseOutputLink } from '../agents/marks.ts';
import type { AgentProfile } from '../agents/profile.ts';
import type { MarksInput } from '../filter/count-marks.ts';
import type { ProcessMarks, SessionBinding } from '../model/evidence.ts';
import { isGone } from '../model/process.ts';
import type { Platform } from '../platform/platform.ts';
import type { RememberedProcess, Store } from '../state/store.ts';

/** Where marks are remembered: the store, or nowhere. */
export type MarkMemory = Pick<Store, 'marks' | 'rememberMarks'>;

/** A process whose marks are asked for. */
export interface MarkedProcess {
  readonly pid: number;
  readonly startTicks: number | undefined;
}

export interface MarksOutcome {
  /** Pids of whose marks something counted. */
  readonly counted: { has(pid: number): boolean };
  /** Sessions that were found to be the roots' own. */
  readonly bindings: readonly SessionBinding[];
}

/** What was told, and who ended before it could be asked: of those nothing must be guessed. */
export interface MarksRead extends MarksInput {
  readonly ended: ReadonlySet<number>;
}

export interface MarksReader {
  /** What these agents told of the members of a block, by memory where they were asked about before. */
  read(blockId: string, members: readonly MarkedProcess[], agents: readonly AgentProfile[]): MarksRead;
  /** Remembers what was read last of that block and what became of it. Never throws for a file's sake. */
  remember(blockId: string, outcome: MarksOutcome): void;
}

/**
 * Reads the marks of an identity once: environment and output file of a process are its own to overwrite. What a process
 * that has only just started shows may still be its parent's (between fork and exec), so that of the young only what counted
 * is remembered.
 */
export function createMarksReader(platform: Platform, memory: MarkMemory): MarksReader {
  const blocks = new Map<string, BlockMarks>();
  return {
    read(blockId, members, agents) {
      const block = blocks.get(blockId) ?? recall(blockId, platform, memory);
      blocks.set(blockId, block);
      block.fresh = [];
      const variables = markVariables(agents);
      const byPid = new Map<number, ProcessMarks>();
      const ended = new Set<number>();
      for (const member of members) {
        const known = block.known.get(keyOf(member));
        const told = known ?? readProcess(member, agents, variables, platform, block);
        byPid.set(member.pid, told);
        if (known === undefined && isEmpty(told) && hasEnded(member, platform)) ended.add(member.pid);
      }
      return { byPid, bindings: block.bindings, ended };
    },
    remember(blockId, { counted, bindings }) {
      const block = blocks.get(blockId);
      if (block === undefined) return;
      const processes = block.fresh.filter((one) => counted.has(one.pid) || !isYoung(one, platform));
      block.fresh = [];
      block.bindings = [...block.bindings, ...bindings];
      for (const one of processes) block.known.set(keyOf(one), one);
      if (processes.length === 0 && bindings.length === 0) return;
      const { bootId } = platform.host();
      try {
        memory.rememberMarks(blockId, { processes, bindings: bindings.map((binding) => ({ ...binding, bootId })) });
      } catch {
        // Reading must do where the state cannot be written; then it is read anew the next time.
      }
    },
  };
}

interface BlockMarks {
  readonly known: Map<string, ProcessMarks>;
  bindings: readonly SessionBinding[];
  /** Read since the last time that something was remembered. */
  fresh: RememberedProcess[];
}

function recall(blockId: string, platform: Platform, memory: MarkMemory): BlockMarks {
  const { processes, bindings } = memory.marks(blockId);
  const { bootId } = platform.host();
  return {
    known: new Map(processes.filter((one) => one.bootId === bootId).map((one) => [keyOf(one), one])),
    bindings: bindings.filter((one) => one.bootId === bootId),
    fresh: [],
  };
}

function readProcess(
  { pid, startTicks }: MarkedProcess,
  agents: readonly AgentProfile[],
  names: ReadonlySet<string>,
  platform: Platform,
  block: BlockMarks,
): ProcessMarks {
  const variables = names.size === 0 ? new Map<string, string>() : platform.readVariables(pid, names);
  const targets = agents.some(({ output }) => output !== undefined)
    ? OUTPUTS.map((fd) => platform.readOpenFile(pid, fd))
    : [];
  const told: ProcessMarks = {
    marks: variables === undefined ? [] : parseMarks(variables, agents),
    output: parseOutputLink(targets, agents),
  };
  if (variables === undefined || startTicks === undefined) return told;
  block.fresh.push({ pid, startTicks, bootId: platform.host().bootId, ...told });
  return told;
}

function isEmpty({ marks, output }: ProcessMarks): boolean {
  return marks.length === 0 && output === undefined;
}

/**
 * The environment of what is exiting reads as empty: it gives back its memory first and is a zombie later. What could not
 * be seen before (hidepid) has not ended for that.
 */
function hasEnded({ pid, startTicks }: MarkedProcess, platform: Platform): boolean {
  if (startTicks === undefined) return false;
  const stat = platform.readStat(pid);
  if (stat === undefined || isGone(stat) || stat.startTicks !== startTicks) return true;
  return stat.rssBytes === 0 && (platform.readDetails(pid, { argv: true }).argv ?? []).length === 0;
}

/** Standard output and standard error. */
const OUTPUTS = [1, 2] as const;

/** Longer than any program takes from fork to exec on a busy machine, ms. */
const YOUNG_MS = 3000;

function isYoung({ startTicks }: RememberedProcess, platform: Platform): boolean {
  return Date.now() - platform.startedAtMs(startTicks) < YOUNG_MS;
}

function keyOf({ pid, startTicks }: MarkedProcess): string {
  return `${pid}:${startTicks}`;
}
