import type { Lifetime } from './screen-types.ts';

/** `+` for what came within the last 10 s, `-` for what has gone, a blank for the rest. */
export function markOf({ seenAtMs, goneAtMs }: Lifetime, nowMs: number): string {
  if (goneAtMs !== undefined) return '-';
  return seenAtMs !== undefined && nowMs - seenAtMs < NEW_MS ? '+' : ' ';
}

const NEW_MS = 10_000;
