/**
 * Start time as `lstart` prints it, seconds since the epoch, for a `ps` that ran in UTC and the C locale: strftime(3)
 * `%c`, e.g. `Mon Nov 30 21:56:05 2026`. Undefined if it is no such time.
 */
export function parseStart(text: string): number | undefined {
  const match = /^[A-Z][a-z]{2} +([A-Z][a-z]{2}) +(\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/.exec(text);
  if (match === null) return undefined;
  const [, name = '', day, hour, minute, second, year] = match;
  const month = MONTHS.indexOf(name);
  if (month === -1 || month % 3 !== 0) return undefined;
  const ms = Date.UTC(Number(year), month / 3, Number(day), Number(hour), Number(minute), Number(second));
  return ms / 1000;
}

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/**
 * Processor time, ms: `M:SS.cc` (macOS and the BSDs, minutes unbounded), `[DD-]HH:MM:SS` (POSIX, whole seconds).
 * Undefined if it is neither.
 */
export function parseCpuTime(text: string): number | undefined {
  const match = /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d{2})(?:\.(\d{1,3}))?$/.exec(text);
  if (match === null) return undefined;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0', parts = ''] = match;
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  return whole * 1000 + Number(parts.padEnd(3, '0').slice(0, 3));
}
