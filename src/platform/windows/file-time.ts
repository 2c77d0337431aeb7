/** 1601-01-01 to 1970-01-01 in units of 100 ns: what FILETIME counts from (minwinbase.h). */
const EPOCH_100NS = 116_444_736_000_000_000n;

/**
 * Microseconds since 1970 of a FILETIME; 0 for a time before. That of any process is a whole number that a double holds
 * exactly, so two processes of one pid that started at different times differ.
 */
export function fileTimeToMicros(fileTime: bigint): number {
  return fileTime <= EPOCH_100NS ? 0 : Number((fileTime - EPOCH_100NS) / 10n);
}

/** Milliseconds of a duration in units of 100 ns. */
export function durationToMs(duration: bigint): number {
  return Number(duration / 10_000n);
}
