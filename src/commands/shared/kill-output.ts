import type { Context } from '../../context.ts';
import type { KillProgress, KillReportRow, KillTarget } from '../../kill/kill.ts';
import { formatCount } from '../../render/format.ts';
import { renderTable } from '../../render/table.ts';
import { escapeUntrusted } from '../../render/untrusted.ts';
import { viewOf } from './view.ts';

/** A target with its block and, once it was signalled, what became of it. */
export type KillRow = KillTarget & Partial<Pick<KillReportRow, 'result' | 'detail'>> & { readonly blockId: string };

/** A row of the JSON documents of `kill` and `kill-tree` (their schemas document it). */
export function toJsonRow(row: KillRow): object {
  return {
    blockId: row.blockId,
    pid: row.pid,
    startTicks: row.identity?.startTicks,
    command: row.command === '' ? undefined : row.command,
    redacted: row.redacted,
    ports: row.ports,
    uid: row.uid,
    escaped: row.escaped,
    result: row.result,
    detail: row.detail,
  };
}

/** The rows for people: what became of each process, or what would. */
export function renderKillRows(context: Context, rows: readonly KillRow[]): Promise<string> {
  return renderTable<KillRow>(
    [
      { header: 'RESULT', text: (row) => RESULT_WORDS[row.result ?? 'planned'], style: styleOf },
      { header: 'PID', align: 'right', text: (row) => String(row.pid) },
      { header: 'PORTS', text: (row) => row.ports.map((port) => `:${port}`).join(' ') },
      { header: 'COMMAND', text: (row) => (row.detail === undefined ? row.command : `${row.command} (${row.detail})`) },
    ],
    rows,
    { ...viewOf(context, { noTrunc: true }), headers: true },
  );
}

/** One line that names some processes: `3 processes: 12 (vite, :5173), 13 (sleep 100) …`. */
export function nameProcesses(targets: readonly KillTarget[], most = 5): string {
  const names = targets.slice(0, most).map((target) => {
    const facts = [escapeUntrusted(cut(target.command)), ...target.ports.map((port) => `:${port}`)].filter(Boolean);
    return facts.length === 0 ? String(target.pid) : `${target.pid} (${facts.join(', ')})`;
  });
  const more = targets.length > most ? ` and ${targets.length - most} more` : '';
  return `${names.join(', ')}${more}`;
}

/** Says on stderr, on a terminal or when asked for, who is waited for. */
export function progressTeller(context: Context, verbose: boolean): ((progress: KillProgress) => void) | undefined {
  if (!verbose && !context.stderr.isTTY) return undefined;
  return ({ waitingFor, forceInMs }) => {
    const until = forceInMs === 0 ? 'KILL was sent' : `KILL in ${(forceInMs / 1000).toFixed(1)} s`;
    context.stderr.write(`waiting for ${nameProcesses(waitingFor)}; ${until}\n`);
  };
}

/** Names on stderr what could not be ended; nothing if all went. */
export function warnOfSurvivors(context: Context, rows: readonly KillRow[]): void {
  const left = rows.filter((row) => row.result === 'survived' || row.result === 'denied');
  if (left.length === 0) return;
  context.stderr.write(`warning: ${formatCount(left.length, 'process was', 'processes were')} not ended\n`);
  for (const row of left) {
    context.stderr.write(`  ${row.pid} ${escapeUntrusted(cut(row.command))}: ${row.detail ?? row.result ?? ''}\n`);
  }
}

const RESULT_WORDS = {
  exited: 'exited',
  killed: 'killed',
  'already-gone': 'already gone',
  signalled: 'signalled',
  denied: 'denied',
  survived: 'survived',
  planned: 'would end',
} as const;

const LONGEST_COMMAND = 60;

function cut(command: string): string {
  return command.length > LONGEST_COMMAND ? `${command.slice(0, LONGEST_COMMAND)}…` : command;
}

function styleOf(row: KillRow): 'red' | undefined {
  return row.result === 'survived' || row.result === 'denied' ? 'red' : undefined;
}
