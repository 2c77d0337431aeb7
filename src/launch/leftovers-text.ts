import type { KillProgress, KillReport, KillTarget } from '../kill/kill.ts';
import { formatAge, formatBytes, formatCount } from '../render/format.ts';

/** A process that outlived the agent, as the report shows it. All texts are untrusted. */
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
  /** Which of our streams it holds open. */
  readonly holds: readonly ('stdout' | 'stderr')[];
}

/** Lines that tell what still runs and how to end it. */
export function renderLeftovers(blockId: string, leftovers: readonly Leftover[], logout: string | undefined): string[] {
  const own = leftovers.filter((leftover) => !leftover.isTagOnly);
  const tagOnly = leftovers.filter((leftover) => leftover.isTagOnly);
  const lines: string[] = [];
  if (own.length > 0) {
    lines.push(`${processes(own.length)} of ${blockId} still ${own.length === 1 ? 'runs' : 'run'}:`, ...table(own));
    lines.push(`to end ${own.length === 1 ? 'it' : 'them'}: agentmux kill-tree --block ${blockId}`);
  }
  if (tagOnly.length > 0) {
    lines.push(
      `${processes(tagOnly.length)} left ${blockId} and only ${tagOnly.length === 1 ? 'carries' : 'carry'} its tag:`,
      ...table(tagOnly),
    );
    lines.push(`to end ${tagOnly.length === 1 ? 'it' : 'them'} too: agentmux kill-tree --block ${blockId} --escaped`);
  }
  lines.push(...holderLines(leftovers));
  if (logout !== undefined && own.length > 0) lines.push(logout);
  return lines;
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

function table(rows: readonly Leftover[]): string[] {
  const cells = rows.map((row) => [
    String(row.pid),
    formatAge(row.ageMs),
    row.ports.join(','),
    formatBytes(row.memoryBytes),
    row.note === undefined ? clip(row.command) : `${clip(row.command)} (${row.note})`,
  ]);
  const all = [['PID', 'AGE', 'PORTS', 'MEM', 'COMMAND'], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all.map((row) => `  ${row.map((cell, i) => (i === 4 ? cell : cell.padStart(widths[i] ?? 0))).join('  ')}`);
}

function holderLines(leftovers: readonly Leftover[]): string[] {
  return (['stdout', 'stderr'] as const).flatMap((stream) => {
    const holders = leftovers.filter((leftover) => leftover.holds.includes(stream));
    if (holders.length === 0) return [];
    const who = holders.map((holder) => holder.pid).join(', ');
    return [
      `pid ${who} ${holders.length === 1 ? 'holds' : 'hold'} our ${stream} open: its reader sees no end until then`,
    ];
  });
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
