import { type FoldedEntry, formatIds } from '../annotate/entry-rows.ts';
import { sum } from '../annotate/totals.ts';
import { formatAge, formatBytes, UNKNOWN } from './format.ts';
import type { Column } from './table.ts';

/** So many cells of a command are shown in a list. */
export const COMMAND_CELLS = 30;

/** The columns of `entries`. */
export function entryColumns(shown: {
  readonly block: boolean;
  readonly ports: boolean;
  readonly names: boolean;
  readonly calls: boolean;
  readonly notes: boolean;
  readonly unicode: boolean;
}): Column<FoldedEntry>[] {
  const count = ({ rows }: FoldedEntry) => (rows.length > 1 ? ` ${shown.unicode ? '×' : 'x'}${rows.length}` : '');
  const name: Column<FoldedEntry> = {
    header: 'NAME',
    text: (folded) => `${folded.row.name}${count(folded)}`,
    maxCells: COMMAND_CELLS,
  };
  const command: Column<FoldedEntry> = {
    header: 'COMMAND',
    text: (folded) => `${folded.row.command}${shown.names ? '' : count(folded)}`,
    maxCells: COMMAND_CELLS,
  };
  return [
    ...(shown.block ? [BLOCK] : []),
    ...ALWAYS,
    ...(shown.ports ? [PORTS] : []),
    MEMORY,
    ...(shown.notes ? [NOTE] : []),
    ...(shown.names ? [name] : []),
    command,
    ...(shown.calls ? [CALL] : []),
  ];
}

const right = 'right';
const BLOCK: Column<FoldedEntry> = { header: 'BLOCK', text: ({ row }) => row.blockId, style: () => 'cyan' };
const PORTS: Column<FoldedEntry> = {
  header: 'PORTS',
  text: ({ row }) => row.ports.join(','),
  style: () => 'green',
};
const MEMORY: Column<FoldedEntry> = {
  header: 'MEM',
  align: right,
  text: ({ rows }) => formatBytes(sum(rows.map((row) => row.privateBytes))),
};
const CALL: Column<FoldedEntry> = {
  header: 'CALL',
  yields: 3,
  text: ({ row }) => row.label?.description ?? row.label?.toolId ?? '',
};
const NOTE: Column<FoldedEntry> = {
  header: 'NOTE',
  text: ({ row }) => (row.kept ? `kept${row.note === undefined ? '' : `: ${row.note}`}` : ''),
  style: () => 'yellow',
};

const ALWAYS: readonly Column<FoldedEntry>[] = [
  { header: 'ENTRY', text: ({ rows }) => formatIds(rows.map(({ id }) => id)), style: () => 'bold' },
  { header: 'SOURCE', yields: 1, text: ({ row }) => row.source },
  {
    header: 'STATE',
    text: ({ row }) => row.status,
    style: ({ row }) => (row.status === 'exited' ? 'dim' : undefined),
  },
  { header: 'UPTIME', align: right, text: ({ rows }) => formatAge(longest(rows)) },
  { header: 'PID', align: right, text: ({ row }) => String(row.pid ?? UNKNOWN) },
];

function longest(rows: FoldedEntry['rows']): number | undefined {
  const ages = rows.flatMap(({ uptimeMs }) => uptimeMs ?? []);
  return ages.length === 0 ? undefined : Math.max(...ages);
}
