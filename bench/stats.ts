/** The middle value; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Median of the ratios of two rows of numbers that were measured side by side. */
export function medianRatio(values: readonly number[], references: readonly number[]): number {
  return median(values.map((value, index) => value / (references[index] ?? Number.NaN)));
}
