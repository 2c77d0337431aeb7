import { type FoldedEntry, formatIds } from '../annotate/entry-rows.ts';
import { sum } from '../annotate/totals.ts';
import type { KillProgress, KillReport, KillTarget } from '../kill/kill.ts';
import { formatAge, formatBytes, formatCount, UNKNOWN } from '../render/format.ts';

/** A process that outlived the agent and belongs to no entry, as the report shows it. All texts are untrusted. */
export interface Leftover {
  readonly pid: number;
  readonly ageMs: number | undefined;
  readonly ports: readonly number[];
  readonly memoryBytes: number | undefined;
  readonly command: string;
  /** What its program tells, such as that it is meant to stay. */
  readonly note?: string | undefined;
  /** It carries the block's tag, left its enclosure and descends from no root: listed, not ended. */
  readonly isTagOnly: boolean;
}

/** All that outlived the agent. */
export interface Leftovers {
  readonly blockId: string;
  /** What is not kept, equal ones folded. */
  readonly entries: readonly FoldedEntry[];
  readonly kept: readonly FoldedEntry[];
  /** Processes of no entry. */
  readonly others: readonly Leftover[];
  /** Pids that hold our streams open. */
  readonly stdout: readonly number[];
  readonly stderr: readonly number[];
  /** Why it will not live for long, if that is so. */
  readonly logout: string | undefined;
}

/** Lines that tell what still runs, and how to end or keep it. Commands are clipped by `clipCells`. */
export function renderLeftovers(leftovers: Leftovers, clipCells: (text: string) => string): string[] {
  const { blockId, entries, kept, logout } = leftovers;
  const others = leftovers.others.filter(({ isTagOnly }) => !isTagOnly);
  const strays = leftovers.others.filter(({ isTagOnly }) => isTagOnly);
  const count = countProcesses(entries) + others.length;
  const lines: string[] = [];
  if (count > 0) {
    const rows = [...entries.map((entry) => entryCells(entry, clipCells)), ...others.map(otherCells)];
    lines.push(`${processes(count)} of ${blockId} still ${count === 1 ? 'runs' : 'run'}:`, ...table(rows));
    lines.push(`to end ${count === 1 ? 'it' : 'them'}: agentmux kill-tree --block ${blockId}`);
    lines.push(...oneByOne(blockId, entries, count));
  }
  if (kept.length > 0) lines.push(renderKept(blockId, kept));
  if (strays.length > 0) {
    const [carry, them] = strays.length === 1 ? ['carries', 'it'] : ['carry', 'them'];
    lines.push(
      `${processes(strays.length)} left ${blockId} and only ${carry} its tag:`,
      ...table(strays.map(otherCells)),
    );
    lines.push(`to end ${them} too: agentmux kill-tree --block ${blockId} --escaped`);
  }
  lines.push(...holderLine('stdout', leftovers.stdout), ...holderLine('stderr', leftovers.stderr));
  if (logout !== undefined && count + kept.length > 0) lines.push(logout);
  return lines;
}

/** What goes on because its user wants that. */
export function renderKept(blockId: string, kept: readonly FoldedEntry[]): string {
  const names = kept.map(({ row, rows }) => {
    const note = row.note === undefined ? '' : `, ${clip(row.note, 40)}`;
    return `${formatIds(rows.map(({ id }) => id))} (${clip(row.name, 40)}${note})`;
  });
  return `kept of ${blockId}: ${names.join(', ')}`;
}

/** Work that was given to others, which no end of the block ends. */
export function renderHandOvers(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [`work was handed to ${names.join(', ')}: what runs there is not tracked and was not looked for`];
}

/** What a kill at the end did. Silent about what was none of its business. */
export function renderKilled(blockId: string, report: KillReport): string[] {
  const ended = report.rows.filter((row) => row.result === 'exited' || row.result === 'killed');
  const forced = report.rows.filter((row) => row.result === 'killed');
  const lines: string[] = [];
  if (ended.length > 0) lines.push(`ended ${processes(ended.length)} of ${blockId}: ${nameAll(ended)}`);
  if (forced.length > 0) lines.push(`KILL was needed for ${nameAll(forced)}`);
  return lines;
}

/** What could not be ended, and the command that tries again. */
export function renderSurvivors(blockId: string, report: KillReport): string[] {
  const survivors = report.rows.filter((row) => row.result === 'survived' || row.result === 'denied');
  if (survivors.length === 0) return [];
  return [
    `${processes(survivors.length)} of ${blockId} could not be ended:`,
    ...survivors.map(
      (row) =>
        `  pid ${row.pid} ${row.result}${row.detail === undefined ? '' : ` (${row.detail})`}: ${clip(row.command)}`,
    ),
    `to try again: agentmux kill-tree --block ${blockId}`,
  ];
}

/** One line while a kill takes its time. */
export function renderProgress({ waitingFor, forceInMs }: KillProgress): string {
  const who = waitingFor.map((target) => target.pid).join(', ');
  const when = forceInMs === 0 ? 'KILL was sent' : `KILL comes in ${(forceInMs / 1000).toFixed(1)}s`;
  return `waiting for ${waitingFor.length === 1 ? 'pid' : 'pids'} ${who}: ${when}`;
}

const longestCommand = 100;
const longestList = 8;

type Cells = readonly [entry: string, pid: string, uptime: string, ports: string, memory: string, command: string];

function entryCells({ row, rows }: FoldedEntry, clipCells: (text: string) => string): Cells {
  const ages = rows.flatMap(({ uptimeMs }) => uptimeMs ?? []);
  const count = rows.length > 1 ? ` \u00d7${rows.length}` : '';
  const call = [row.label?.description && `"${row.label.description}"`, row.label?.toolId].filter(Boolean).join(' ');
  return [
    formatIds(rows.map(({ id }) => id)),
    String(row.pid ?? UNKNOWN),
    formatAge(ages.length === 0 ? undefined : Math.max(...ages)),
    row.ports.join(','),
    formatBytes(sum(rows.map(({ privateBytes }) => privateBytes))),
    `${clipCells(row.command)}${count}${call === '' ? '' : `  ${clip(call)}`}`,
  ];
}

function otherCells(one: Leftover): Cells {
  return [
    '',
    String(one.pid),
    formatAge(one.ageMs),
    one.ports.join(','),
    formatBytes(one.memoryBytes),
    one.note === undefined ? clip(one.command) : `${clip(one.command)} (${one.note})`,
  ];
}

/** The first column and the last are text, the others numbers. */
function table(rows: readonly Cells[]): string[] {
  const all: readonly (readonly string[])[] = [['ENTRY', 'PID', 'UPTIME', 'PORTS', 'MEM', 'COMMAND'], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all.map((row) => {
    const cells = row.map((cell, i) =>
      i === 0 ? cell.padEnd(widths[0] ?? 0) : i === 5 ? cell : cell.padStart(widths[i] ?? 0),
    );
    return `  ${cells.join('  ')}`;
  });
}

function oneByOne(blockId: string, entries: readonly FoldedEntry[], count: number): string[] {
  const id = entries[0]?.row.id;
  if (id === undefined) return [];
  const keep = `agentmux keep --block ${blockId} ${id}`;
  if (count === 1) return [`to keep it: ${keep}`];
  return [`one of them: agentmux kill --block ${blockId} ${id}; to keep it: ${keep}`];
}

function countProcesses(entries: readonly FoldedEntry[]): number {
  return entries.reduce((count, { rows }) => count + rows.reduce((own, { pids }) => own + pids.length, 0), 0);
}

function holderLine(stream: 'stdout' | 'stderr', pids: readonly number[]): string[] {
  if (pids.length === 0) return [];
  const holds = pids.length === 1 ? 'holds' : 'hold';
  return [`pid ${pids.join(', ')} ${holds} our ${stream} open: its reader sees no end until then`];
}

function nameAll(targets: readonly KillTarget[]): string {
  const named = targets.slice(0, longestList).map((target) => `${target.pid} (${clip(target.command, 40)})`);
  const rest = targets.length - named.length;
  return rest === 0 ? named.join(', ') : `${named.join(', ')} and ${rest} more`;
}

function processes(count: number): string {
  return formatCount(count, 'process', 'processes');
}

function clip(text: string, length = longestCommand): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}
