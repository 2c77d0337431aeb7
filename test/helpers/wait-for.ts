import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until `probe` answers something other than undefined, null or false, and returns that.
 * Throws after `capMs`, naming what was awaited. Never wait for time; wait for a condition.
 */
export async function waitFor<T>(
  what: string,
  probe: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  capMs = 10_000,
): Promise<T> {
  const end = performance.now() + capMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== null && value !== false) return value;
    if (performance.now() > end) throw new Error(`waited ${capMs} ms in vain for ${what}`);
    await delay(10);
  }
}
