import type { Confidence } from '../model/block.ts';

/** What people read where a value is not known. */
export const UNKNOWN = '-';

/** A span of time for people: `12s`, `3m 4s`, `2h 5m`, `103h 20m`; never days. */
export function formatAge(ms: number | undefined): string {
  if (ms === undefined) return UNKNOWN;
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** CPU time for people: `0.04s`, `7.2s`, then as an age. */
export function formatCpu(ms: number | undefined): string {
  if (ms === undefined) return UNKNOWN;
  if (ms < 995) return `${(ms / 1000).toFixed(2)}s`;
  return ms < 9_950 ? `${(ms / 1000).toFixed(1)}s` : formatAge(ms);
}

/** A size for people, IEC: `512 B`, `1.5 KiB`, `120 MiB`. */
export function formatBytes(bytes: number | undefined): string {
  if (bytes === undefined) return UNKNOWN;
  let value = bytes;
  for (const unit of ['B', 'KiB', 'MiB', 'GiB']) {
    if (value < 999.5) return `${formatSize(value, unit)} ${unit}`;
    value /= 1024;
  }
  return `${formatSize(value, 'TiB')} TiB`;
}

/** Percent of one core for people: `0.3%`, `98%`. */
export function formatPercent(percent: number | undefined): string {
  if (percent === undefined) return UNKNOWN;
  return percent < 9.95 ? `${percent.toFixed(1)}%` : `${Math.round(percent)}%`;
}

/** `1 process`, `2 processes`. */
export function formatCount(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A moment for people who keep a log: ISO 8601 in UTC, whole seconds. */
export function formatTime(ms: number | undefined): string {
  return ms === undefined ? UNKNOWN : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function formatSize(value: number, unit: string): string {
  return unit !== 'B' && value < 9.95 ? value.toFixed(1) : String(Math.round(value));
}

/** `high`, `best effort`, `none`. */
export function formatConfidence(confidence: Confidence): string {
  return confidence.replace('_', ' ');
}
