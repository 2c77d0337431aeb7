/**
 * Milliseconds of a duration as users write it: `10` (seconds), `500ms`, `1.5s`, `2m`, `1h`.
 * Undefined if it is none; never negative, never more than a timer can hold (24 days).
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d*)?|\.\d+)(ms|s|m|h)?$/.exec(text);
  if (match === null) return undefined;
  const ms = Math.round(Number(match[1]) * unitMs[(match[2] ?? 's') as keyof typeof unitMs]);
  return ms <= longestTimerMs ? ms : undefined;
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
/** setTimeout fires at once beyond it. */
const longestTimerMs = 2 ** 31 - 1;
