import { describe, field, parseObject, textField } from './parse-json.ts';

/** `{"op":"call","tool_id","pid","description","timestamp"}`: an agent or a wrapper tells which process a call started. */
export interface CallReport {
  readonly toolId: string;
  readonly pid: number;
  readonly description: string | undefined;
  readonly atMs: number;
}

/** What is kept of reports, and which processes one labels; limits are inclusive. */
export const reportLimits = {
  /** Back from the newest report, ms. */
  keptMs: 12 * 3_600_000,
  kept: 4096,
  /** The process started at most so long before the report, ms. */
  beforeMs: 60_000,
  /** Or after it. */
  afterMs: 2000,
} as const;

/**
 * Parses one line; without a timestamp it is of `nowMs`. Timestamps are ms since the epoch, or a date in text. Undefined
 * for another op, a torn line, a pid that is no unsigned 32-bit integer, an empty tool id, or a timestamp that is none.
 */
export function parseReport(line: string, nowMs: number): CallReport | undefined {
  const report = parseObject(line);
  const [pid, toolId] = [field(report, 'pid'), textField(report, 'tool_id')];
  const atMs = parseTimestamp(field(report, 'timestamp'), nowMs);
  if (field(report, 'op') !== 'call' || toolId === undefined || atMs === undefined) return undefined;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 0 || pid > 0xffff_ffff) return undefined;
  return { toolId, pid, description: describe(field(report, 'description')), atMs };
}

/** The reports that count, in the order in which they came: the last of each pid, none too old, not too many. */
export function selectReports(reports: Iterable<CallReport>): CallReport[] {
  const byPid = new Map<number, CallReport>();
  for (const report of reports) {
    byPid.delete(report.pid);
    byPid.set(report.pid, report);
  }
  const last = [...byPid.values()];
  const newestMs = last.reduce((newest, { atMs }) => Math.max(newest, atMs), Number.NEGATIVE_INFINITY);
  const young = last.filter(({ atMs }) => newestMs - atMs <= reportLimits.keptMs);
  if (young.length <= reportLimits.kept) return young;
  const kept = new Set([...young].sort((a, b) => a.atMs - b.atMs).slice(-reportLimits.kept));
  return young.filter((report) => kept.has(report));
}

/** True if the report can be of a process of its pid that started then; an unknown start is trusted. */
export function isReportOf(report: CallReport, startedAtMs: number | undefined): boolean {
  if (startedAtMs === undefined) return true;
  return startedAtMs >= report.atMs - reportLimits.beforeMs && startedAtMs <= report.atMs + reportLimits.afterMs;
}

function parseTimestamp(value: unknown, nowMs: number): number | undefined {
  if (value === undefined || value === null) return nowMs;
  const ms = typeof value === 'string' ? Date.parse(value) : value;
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
