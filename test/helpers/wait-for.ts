import { setTimeout as delay } from 'node:timers/promises';

/** A look that starts programs takes many times as long (`npm run test:ps`, test/helpers/reader.ts). */
const patience = process.env['RIG_READER'] === undefined ? 1 : 4;

/**
 * Polls until `probe` answers something other than undefined, null or false, and returns that.
 * Throws after `capMs`, more where processes are read by `ps`, naming what was awaited. Never wait for time; wait for a condition.
 */
export async function waitFor<T>(
  what: string,
  probe: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  capMs = 10_000,
): Promise<T> {
  const limitMs = capMs * patience;
  const end = performance.now() + limitMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== null && value !== false) return value;
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms in vain for ${what}`);
    await delay(10);
  }
}
