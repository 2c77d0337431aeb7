import { formatCommand } from '../annotate/command.ts';
import type { BlockStatus, RunExit, TrackerRecord } from '../model/block.ts';
import { formatAge, formatBytes, formatConfidence, formatCpu, UNKNOWN } from './format.ts';
import type { Style } from './paint.ts';
import type { Column } from './table.ts';

/** What every listing says of a block; unknown is undefined, and all counts are where nothing is tracked. */
export interface BlockSummary {
  readonly id: string;
  readonly agent: string | undefined;
  readonly parentId: string | undefined;
  readonly status: BlockStatus;
  readonly tracker: TrackerRecord;
  readonly startedAtMs: number;
  /** Live processes that the agent started. */
  readonly agentStarted: number | undefined;
  /** All live members. */
  readonly processes: number | undefined;
  readonly zombies: readonly ZombieCount[];
}

export interface ZombieCount {
  readonly parentPid: number;
  readonly count: number;
}

/** A block as `blocks` shows it. */
export interface BlockRow extends BlockSummary {
  readonly kind: 'agent' | 'terminal';
  readonly endedAtMs: number | undefined;
  /** CPU time of its members, those that have exited included if `cpuIncludesExited`, ms. */
  readonly cpuMs: number | undefined;
  readonly cpuIncludesExited: boolean;
  readonly privateBytes: number | undefined;
  /** True if the sum is a lower bound. */
  readonly memoryIsPartial: boolean;
  readonly ports: readonly number[] | undefined;
  /** Secrets in its command lines were replaced. */
  readonly redacted: boolean;
  readonly runs: readonly RunRow[];
}

export interface RunRow {
  readonly rootPid: number | undefined;
  readonly wrapperPid: number;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly tty: string | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number | undefined;
  readonly exit: RunExit | undefined;
}

/** The columns of `blocks`. */
export function blockColumns(nowMs: number, shown: { readonly ports: boolean }): Column<BlockRow>[] {
  return [
    { header: 'BLOCK', text: (row) => row.id, style: () => 'cyan' },
    { header: 'AGENT', yields: 4, text: (row) => row.agent ?? UNKNOWN },
    { header: 'STATE', text: describeStatus, style: statusStyle },
    { header: 'CONFIDENCE', yields: 2, text: (row) => formatConfidence(row.tracker.confidence) },
    { header: 'STARTED', align: 'right', yields: 5, text: (row) => `${formatAge(nowMs - row.startedAtMs)} ago` },
    { header: 'PROCESSES', align: 'right', text: formatProcesses },
    { header: 'CPU', align: 'right', yields: 1, text: (row) => formatCpu(row.cpuMs) },
    { header: 'MEM', align: 'right', yields: 3, text: formatMemory },
    ...(shown.ports ? [{ header: 'PORTS', text: formatBlockPorts, style: (): Style => 'green' }] : []),
    { header: 'COMMAND', text: (row) => formatCommand(row.runs.at(-1)?.argv ?? []) },
  ];
}

/** The state of a block in words, with how many live where its agent does not. */
export function describeStatus(block: BlockSummary): string {
  const words = statusWords(block);
  return block.tracker.type === 'stub' && block.status !== 'ended' ? `${words}, not tracked` : words;
}

/** `5/7`: of 7 members the agent started 5. */
export function formatProcesses(block: BlockSummary): string {
  if (block.processes === undefined) return UNKNOWN;
  return `${block.agentStarted ?? UNKNOWN}/${block.processes}`;
}

function statusWords(block: BlockSummary): string {
  const count = block.processes ?? UNKNOWN;
  switch (block.status) {
    case 'leftovers':
      return `ended, ${count} left`;
    case 'wrapper-gone':
      return `wrapper gone, ${count} alive`;
    case 'elsewhere':
      return 'on another machine or in another pid namespace';
    case 'starting':
    case 'running':
    case 'ended':
      return block.status;
  }
}

function statusStyle(block: BlockSummary): Style | undefined {
  if (block.status === 'leftovers' || block.status === 'wrapper-gone') return 'yellow';
  return block.status === 'running' ? undefined : 'dim';
}

function formatMemory(row: BlockRow): string {
  if (row.privateBytes === undefined) return UNKNOWN;
  return `${row.memoryIsPartial ? '>' : ''}${formatBytes(row.privateBytes)}`;
}

function formatBlockPorts(row: BlockRow): string {
  return row.ports?.join(',') ?? UNKNOWN;
}
