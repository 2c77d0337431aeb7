import { sum } from '../annotate/totals.ts';
import { formatAge, formatBytes, formatPercent, UNKNOWN } from './format.ts';
import type { Style } from './paint.ts';
import { describeOddities, formatPorts } from './process-table.ts';
import {
  columnsWidth,
  headerSpan,
  type PlacedColumn,
  placeColumns,
  rowSpans,
  type ScreenColumn,
} from './screen-columns.ts';
import type { Line, LineView, Span } from './screen-line.ts';
import { markOf } from './screen-marks.ts';
import type { ListItem, ScreenInput, WatchEntry, WatchRow } from './screen-types.ts';
import { escapeUntrusted } from './untrusted.ts';
import { cutText } from './width.ts';

type ProcessItem = Extract<ListItem, { type: 'process' }>;
type EntryItem = Extract<ListItem, { type: 'entry' }>;

/** The heads of the columns and the visible lines of the list. */
export function drawList(input: ScreenInput, height: number, view: LineView): { header: Line; lines: Line[] } {
  const shown = input.items.slice(input.itemsTop, input.itemsTop + height);
  if (shown.length === 0)
    return { header: { spans: [] }, lines: [{ spans: [{ text: `  ${input.emptyText}`, style: 'dim' }] }] };
  const entries = shown.filter((item) => item.type === 'entry');
  return entries.length > 0 ? drawEntries(entries, input, view) : drawProcesses(shown.filter(isProcess), input, view);
}

/** The command of a process as a list shows it: without the directory of its program. */
export function shortCommand(row: Pick<WatchRow, 'command'>): string {
  return (row.command ?? UNKNOWN).replace(/^\/(?:[^\s'"/]+\/)+(?=[^\s'"/])/, '');
}

const MARGIN = 2;

function isProcess(item: ListItem): item is ProcessItem {
  return item.type === 'process';
}

function drawProcesses(items: readonly ProcessItem[], input: ScreenInput, view: LineView) {
  const { nowMs } = input;
  const columns = placeColumns(processColumns(nowMs, input.all), items, view.columns - MARGIN, view.textWidth);
  return drawItems(items, input, view, columns, (item, room) => commandSpans(item, room, view));
}

function drawEntries(items: readonly EntryItem[], input: ScreenInput, view: LineView) {
  const columns = placeColumns(entryColumns(input.nowMs), items, view.columns - MARGIN, view.textWidth);
  return drawItems(items, input, view, columns, ({ entry }) => [
    { text: escapeUntrusted(entry.command), style: entry.status === 'exited' ? 'dim' : undefined },
  ]);
}

function drawItems<Item extends ListItem>(
  items: readonly Item[],
  { itemsTop, item: selected, focus, nowMs }: ScreenInput,
  view: LineView,
  columns: readonly PlacedColumn<Item>[],
  command: (item: Item, room: number) => readonly Span[],
): { header: Line; lines: Line[] } {
  const room = view.columns - MARGIN - columnsWidth(columns) - 1;
  const head = headerSpan(columns, view.textWidth);
  const lines = items.map((item, index): Line => {
    const isSelected = itemsTop + index === selected;
    const mark = markOf(item.type === 'entry' ? item.entry : newest(item.rows), nowMs);
    const margin = { text: `${isSelected ? '>' : ' '}${mark}`, style: 'bold' as Style };
    const spans = [margin, ...rowSpans(columns, item, view), { text: ' ' }, ...command(item, room)];
    return { spans, selected: isSelected && focus === 'list' };
  });
  return { header: { spans: [{ text: ' '.repeat(MARGIN) }, head, { text: ' COMMAND', style: 'dim' }] }, lines };
}

function newest(rows: readonly WatchRow[]): WatchRow {
  return rows.reduce((a, b) => ((b.seenAtMs ?? 0) > (a.seenAtMs ?? 0) ? b : a));
}

const right = 'right';

function processColumns(nowMs: number, all: boolean): ScreenColumn<ProcessItem>[] {
  const isGone = ({ row }: ProcessItem): boolean => row.goneAtMs !== undefined;
  const dimGone = (item: ProcessItem): Style | undefined => (isGone(item) ? 'dim' : undefined);
  const add = (item: ProcessItem, read: (row: WatchRow) => number | undefined) => sum(item.rows.map(read));
  const role: ScreenColumn<ProcessItem> = {
    header: 'ROLE',
    min: 8,
    max: 8,
    text: ({ row }) => row.role,
    style: dimGone,
  };
  return [
    { header: 'PID', align: right, min: 7, max: 7, text: ({ row }) => String(row.pid), style: dimGone },
    { header: 'AGE', align: right, min: 8, max: 8, text: (item) => ageOf(item, nowMs), style: dimGone },
    {
      header: 'CPU%',
      align: right,
      min: 6,
      max: 6,
      text: (item) => (isGone(item) ? UNKNOWN : formatPercent(add(item, (row) => row.cpuNowPercent))),
      style: (item) => (isGone(item) ? 'dim' : busyStyle(add(item, (row) => row.cpuNowPercent))),
    },
    {
      header: 'MEM',
      align: right,
      min: 8,
      max: 8,
      text: (item) => (isGone(item) ? UNKNOWN : formatBytes(add(item, (row) => row.privateBytes ?? row.rssBytes))),
      style: dimGone,
    },
    { header: 'PORTS', min: 5, max: 16, text: ({ row }) => formatPorts(row), style: () => 'green' },
    ...(all ? [role] : []),
  ];
}

function entryColumns(nowMs: number): ScreenColumn<EntryItem>[] {
  const of = (read: (entry: WatchEntry) => string) => (item: EntryItem) => read(item.entry);
  return [
    { header: 'ENTRY', min: 5, max: 6, text: of(({ id }) => id), style: () => 'cyan' },
    { header: 'STATE', min: 7, max: 7, text: of(({ status }) => status) },
    { header: 'UPTIME', align: right, min: 8, max: 8, text: of((entry) => uptimeOf(entry, nowMs)) },
    { header: 'SOURCE', min: 10, max: 10, text: of(({ source }) => source) },
    { header: 'PID', align: right, min: 7, max: 7, text: of(({ pid }) => String(pid ?? UNKNOWN)) },
    { header: 'PORTS', min: 5, max: 16, text: of(({ ports }) => ports.join(',')), style: () => 'green' },
  ];
}

/** How long it has been there; of what has gone, how long it was. */
function ageOf({ row }: ProcessItem, nowMs: number): string {
  return row.startedAtMs === undefined ? UNKNOWN : formatAge((row.goneAtMs ?? nowMs) - row.startedAtMs);
}

function uptimeOf({ startedAtMs, endedAtMs }: WatchEntry, nowMs: number): string {
  return startedAtMs === undefined ? UNKNOWN : formatAge((endedAtMs ?? nowMs) - startedAtMs);
}

/** The branch, the command cut to what is left, and behind it what must not be cut. */
function commandSpans(item: ProcessItem, room: number, view: LineView): Span[] {
  const { row, rows, branch, hidden } = item;
  const times = view.unicode ? '×' : 'x';
  const isGone = row.goneAtMs !== undefined;
  const words = [
    rows.length > 1 ? `${times}${rows.length}` : '',
    hidden > 0 ? `(${hidden} more)` : '',
    ...[noteOf(row)].filter((note) => note !== '').map((note) => `(${escapeUntrusted(note)})`),
  ].filter((word) => word !== '');
  const tail = words.length === 0 ? '' : ` ${words.join(' ')}`;
  const left = Math.max(0, room - view.textWidth(branch) - view.textWidth(tail));
  const command = cutText(escapeUntrusted(shortCommand(row)), left, view.unicode ? '…' : '~', view.textWidth);
  return [
    { text: branch, style: 'dim' },
    { text: command, style: isGone ? 'dim' : commandStyle(row) },
    { text: tail, style: isGone ? 'dim' : 'yellow' },
  ];
}

/** What is out of the ordinary. */
function noteOf(row: WatchRow): string {
  if (row.goneAtMs !== undefined) return 'exited';
  const notes = [row.state === 'T' ? 'stopped' : '', row.orphan ? 'orphan' : '', describeOddities(row)];
  return notes.filter((note) => note !== '').join(', ');
}

function commandStyle(row: WatchRow): Style | undefined {
  if (row.role === 'root') return 'cyan';
  return row.role === 'plumbing' ? 'dim' : undefined;
}

function busyStyle(percent: number | undefined): Style | undefined {
  return (percent ?? 0) >= 50 ? 'bold' : undefined;
}
