import { formatCommand } from '../annotate/command.ts';
import type { Listener } from '../model/process.ts';
import { formatProcesses } from './block-table.ts';
import {
  formatAge,
  formatBytes,
  formatConfidence,
  formatCount,
  formatCpu,
  formatPercent,
  formatTime,
  UNKNOWN,
} from './format.ts';
import { describeCall, describeOddities } from './process-table.ts';
import { describeWatchState } from './screen-blocks.ts';
import type { Line, LineView } from './screen-line.ts';
import type { ListItem, ScreenInput, WatchBlock, WatchEntry, WatchRow } from './screen-types.ts';
import { wrapText } from './screen-wrap.ts';
import { formatProcessState } from './state-words.ts';
import { escapeUntrusted } from './untrusted.ts';

/** What is known of the selected thing: a title, and lines of facts, the command first. */
export function drawDetails(input: ScreenInput, height: number, view: LineView): { title: string; lines: Line[] } {
  const item = input.focus === 'list' ? input.items[input.item] : undefined;
  const block = input.blocks[input.block];
  if (item !== undefined) return { title: titleOf(item), lines: drawFacts(factsOf(item, input.nowMs), height, view) };
  if (block === undefined) return { title: 'details', lines: [] };
  return { title: `block ${block.id}`, lines: drawFacts(blockFacts(block, input.nowMs), height, view) };
}

type Fact = readonly [label: string, value: string];

const LABEL_WIDTH = 11;

function titleOf(item: ListItem): string {
  if (item.type === 'entry') return `entry ${item.entry.id}`;
  const { row, rows } = item;
  const state = row.goneAtMs === undefined ? formatProcessState(row.state) : 'exited';
  if (rows.length === 1) return `process ${row.pid}, ${state}`;
  return `${formatCount(rows.length, 'process', 'processes')}, the oldest ${row.pid}`;
}

function factsOf(item: ListItem, nowMs: number): Fact[] {
  return item.type === 'entry' ? entryFacts(item.entry, nowMs) : processFacts(item.row, item.rows, nowMs);
}

/** The command takes what the other facts leave, two lines at least if it needs them. */
function drawFacts(facts: readonly Fact[], height: number, view: LineView): Line[] {
  const room = Math.max(1, view.columns - LABEL_WIDTH - 2);
  const [first, ...others] = facts;
  if (first === undefined || height <= 0) return [];
  const most = Math.max(Math.min(2, height), height - others.length);
  const wrapped = wrapText(escapeUntrusted(first[1]), room, most, view);
  const lines = wrapped.map((text, index) => factLine(index === 0 ? first[0] : '', text));
  return [...lines, ...others.map(([label, value]) => factLine(label, escapeUntrusted(value)))].slice(0, height);
}

function factLine(label: string, value: string): Line {
  return { spans: [{ text: `  ${label.padEnd(LABEL_WIDTH)}`, style: 'dim' }, { text: value }] };
}

function processFacts(row: WatchRow, rows: readonly WatchRow[], nowMs: number): Fact[] {
  const parent = row.orphan ? 'its parent has gone' : `parent ${row.parentPid ?? UNKNOWN}`;
  const notes = [row.role, row.because, describeOddities(row)].filter((note) => note !== '').join(', ');
  const pids = rows.map(({ pid }) => pid);
  return [
    ['command', row.command ?? UNKNOWN],
    [
      'started',
      `${sinceText(row.startedAtMs, row.goneAtMs, nowMs)}, ${parent}, session ${row.sid ?? UNKNOWN}${ttyText(row.tty)}`,
    ],
    ...callFacts(describeCall(row), row.entry),
    ['directory', row.cwd ?? UNKNOWN],
    ['why', `${notes}; known by ${row.source} (${formatConfidence(row.confidence)})`],
    ...(rows.length > 1 ? [['pids', pids.join(' ')] as const] : []),
    ['ports', portsText(row)],
    ['cost', costText(row)],
    ['program', row.exe ?? UNKNOWN],
  ];
}

function callFacts(call: string | undefined, entry: string | undefined): Fact[] {
  const facts = [call, entry === undefined ? undefined : `entry ${entry}`].filter((fact) => fact !== undefined);
  return facts.length === 0 ? [] : [['call', facts.join(', ')]];
}

function costText(row: WatchRow): string {
  const { cpuMs, cpuNowPercent, cpuPercent, privateBytes, rssBytes } = row;
  const cpu = `CPU ${formatCpu(cpuMs)}, ${formatPercent(cpuNowPercent)} now, ${formatPercent(cpuPercent)} on average`;
  return `${cpu}; memory ${formatBytes(privateBytes)}, ${formatBytes(rssBytes)} resident`;
}

function portsText({ listeners, sharedListeners }: WatchRow): string {
  if (listeners === undefined) return UNKNOWN;
  const own = listeners.map(formatListener);
  const shared = sharedListeners.map((one) => `${formatListener(one)} (of ${one.ownerPid})`);
  return [...own, ...shared].join(', ') || 'none';
}

function formatListener({ address, port }: Listener): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

function blockFacts(block: WatchBlock, nowMs: number): Fact[] {
  const { tracker } = block;
  const where = tracker.scope ?? tracker.cgroupPath ?? tracker.job?.name;
  const how = `${tracker.type} (${formatConfidence(tracker.confidence)})${where === undefined ? '' : `, ${where}`}`;
  const zombies = block.zombies.reduce((sum, { count }) => sum + count, 0);
  const dead = zombies === 0 ? '' : `, ${formatCount(zombies, 'zombie', 'zombies')}`;
  return [
    ['command', formatCommand(block.argv)],
    [
      'state',
      `${describeWatchState(block)}, started ${sinceText(block.startedAtMs, undefined, nowMs)}${ttyText(block.tty)}`,
    ],
    ['processes', `${formatProcesses(block)} agent-started of all${dead}`],
    ['tracker', how],
    ...tracker.reasons.map(({ code, detail }): Fact => ['', `${code}: ${detail}`]),
    ['directory', block.cwd ?? UNKNOWN],
    ...(block.parentId === undefined ? [] : [['inside', block.parentId] as const]),
  ];
}

function entryFacts(entry: WatchEntry, nowMs: number): Fact[] {
  return [
    ['command', entry.command],
    ['state', `${entry.status}, started ${sinceText(entry.startedAtMs, entry.endedAtMs, nowMs)}`],
    ...callFacts(entry.call?.description, undefined),
    ['source', entry.taskId === undefined ? entry.source : `${entry.source}, task ${entry.taskId}`],
    ['pids', entry.pids.join(' ') || String(entry.pid ?? UNKNOWN)],
    ['ports', entry.ports.join(', ') || 'none'],
  ];
}

function sinceText(startedAtMs: number | undefined, goneAtMs: number | undefined, nowMs: number): string {
  if (startedAtMs === undefined) return UNKNOWN;
  const ago = `${formatAge(nowMs - startedAtMs)} ago (${formatTime(startedAtMs)})`;
  return goneAtMs === undefined ? ago : `${ago}, gone ${formatAge(nowMs - goneAtMs)} ago`;
}

function ttyText(tty: string | undefined): string {
  return tty === undefined ? '' : `, on ${tty}`;
}
