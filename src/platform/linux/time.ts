import { readSmall } from './read-small.ts';

/**
 * Moment of the boot as wall clock, ms since the epoch, by the uptime: within 10 ms. The `btime` of /proc/stat is cut
 * to whole seconds and up to a second off. Both drift when the clock is stepped: for show, never to be compared.
 */
export function readBootMs(procRoot: string, nowMs: number): number {
  const bytes = readSmall(`${procRoot}/uptime`);
  const uptimeMs = bytes && parseUptimeMs(bytes);
  return uptimeMs === undefined ? Number.NaN : nowMs - uptimeMs;
}

/** Parses proc_uptime(5): seconds with two decimals; undefined if it is no such line. */
export function parseUptimeMs(bytes: Buffer): number | undefined {
  const match = /^(\d+)\.(\d\d) /.exec(bytes.toString('latin1'));
  return match === null ? undefined : Number(match[1]) * 1000 + Number(match[2]) * 10;
}
