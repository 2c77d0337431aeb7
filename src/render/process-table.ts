import type { ProcessRow } from '../model/row.ts';
import { describeEvidence } from './evidence.ts';
import { formatAge, formatBytes, formatConfidence, formatCpu, formatPercent, UNKNOWN } from './format.ts';
import type { Style } from './paint.ts';
import { formatProcessState } from './state-words.ts';
import type { Column } from './table.ts';

/** A row of `ps` and `tree`. */
export interface ShownRow extends ProcessRow {
  /** True if its parent has gone: it hangs below no member of the block. */
  readonly orphan: boolean;
}

/** Which columns are shown beside those that always are. */
export interface ProcessColumns {
  readonly block: boolean;
  readonly role: boolean;
  readonly ports: boolean;
  readonly entries?: boolean;
  /** The tool call of a row. */
  readonly calls?: boolean;
  readonly notes: boolean;
  /** Why a row is what it is. */
  readonly why: boolean;
  /** How it is known, and where it runs. */
  readonly verbose: boolean;
  /** Where each runs, if there is room for it. */
  readonly directories?: boolean;
}

/** The columns of `ps`; the command is last, so that it is what a narrow terminal cuts; some yield to it. */
export function processColumns(shown: ProcessColumns): Column<ShownRow>[] {
  return [
    ...(shown.block ? [BLOCK] : []),
    ...ALWAYS,
    ...(shown.role ? [ROLE] : []),
    ...(shown.ports ? [PORTS] : []),
    ...(shown.entries ? [ENTRY] : []),
    ...(shown.calls ? [CALL] : []),
    ...(shown.notes ? [NOTE] : []),
    ...(shown.verbose ? [KNOWN_BY] : []),
    ...(shown.why ? [WHY] : []),
    ...(shown.verbose ? [DIRECTORY] : []),
    ...(shown.directories && !shown.verbose ? [{ ...DIRECTORY, yields: 0 }] : []),
    COMMAND,
  ];
}

/** What is out of the ordinary about a row, in words; empty for most. */
export function describeOddities(row: ShownRow): string {
  const notes = [];
  if (row.kept) notes.push('kept');
  if (row.escaped) notes.push('outside cgroup');
  if (row.innerPid !== undefined) notes.push(`pid ${row.innerPid} inside`);
  if (row.agent !== undefined && row.role !== 'root') notes.push(`agent ${row.agent}`);
  if (row.note !== undefined) notes.push(row.note);
  return notes.join(', ');
}

/** What its tool call is for, in the agent's words: the description, else the command. */
export function describeCall({ label }: Pick<ProcessRow, 'label'>): string | undefined {
  return label?.description ?? label?.command ?? label?.toolId;
}

/** The listening ports of a row, each once; empty for none. */
export function formatPorts(row: Pick<ProcessRow, 'listeners'>): string {
  return row.listeners === undefined ? UNKNOWN : [...new Set(row.listeners.map(({ port }) => port))].join(',');
}

const CALL_CELLS = 30;
const right = 'right';
const BLOCK: Column<ShownRow> = { header: 'BLOCK', text: (row) => row.blockId, style: () => 'cyan' };
const ROLE: Column<ShownRow> = { header: 'ROLE', text: (row) => row.role };
const PORTS: Column<ShownRow> = { header: 'PORTS', text: formatPorts, style: () => 'green' };
const NOTE: Column<ShownRow> = { header: 'NOTE', text: describeOddities, style: () => 'yellow' };
const ENTRY: Column<ShownRow> = { header: 'ENTRY', yields: 6, text: (row) => row.entry ?? '', style: () => 'cyan' };
const CALL: Column<ShownRow> = {
  header: 'CALL',
  yields: 7,
  text: (row) => describeCall(row) ?? '',
  maxCells: CALL_CELLS,
};
const KNOWN_BY: Column<ShownRow> = {
  header: 'KNOWN BY',
  text: (row) => `${row.source} (${formatConfidence(row.confidence)})`,
};
const WHY: Column<ShownRow> = { header: 'WHY', text: describeEvidence };
const DIRECTORY: Column<ShownRow> = { header: 'DIRECTORY', text: (row) => row.cwd ?? UNKNOWN };
const COMMAND: Column<ShownRow> = { header: 'COMMAND', text: (row) => row.command ?? UNKNOWN };

const ALWAYS: readonly Column<ShownRow>[] = [
  { header: 'PID', align: right, text: (row) => String(row.pid), style: () => 'bold' },
  {
    header: 'PARENT',
    align: right,
    yields: 4,
    text: formatParent,
    style: (row) => (row.orphan ? 'yellow' : undefined),
  },
  { header: 'AGE', align: right, text: (row) => formatAge(row.ageMs) },
  { header: 'CPU', align: right, yields: 3, text: (row) => formatCpu(row.cpuMs) },
  { header: 'CPU%', align: right, yields: 2, text: (row) => formatPercent(row.cpuPercent), style: busyStyle },
  { header: 'MEM', align: right, yields: 5, text: (row) => formatBytes(row.rssBytes) },
  { header: 'STATE', yields: 1, text: (row) => formatProcessState(row.state) },
];

function formatParent(row: ShownRow): string {
  return row.orphan ? 'orphan' : String(row.parentPid ?? UNKNOWN);
}

function busyStyle(row: ShownRow): Style | undefined {
  return (row.cpuPercent ?? 0) >= 50 ? 'red' : undefined;
}
