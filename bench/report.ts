/** One budget: what was measured against what was promised. */
export interface BudgetRow {
  readonly what: string;
  /** As people read it, e.g. `1.12 x` or `14 ms`. */
  readonly measured: string;
  readonly budget: string;
  /** Undefined: it could not be measured here, and `measured` says why. */
  readonly ok: boolean | undefined;
}

/** A budget that is a ratio to a reference. */
export function ratioRow(what: string, ratio: number, limit: number, reference: string): BudgetRow {
  return { what, measured: `${ratio.toFixed(2)} x`, budget: `<= ${limit} x ${reference}`, ok: ratio <= limit };
}

/** A budget that could not be measured on this machine. */
export function skippedRow(what: string, budget: string, reason: string): BudgetRow {
  return { what, measured: `skipped: ${reason}`, budget, ok: undefined };
}

/** Prints a section's rows at once; true if no budget was missed. */
export function printBudgets(title: string, rows: readonly BudgetRow[]): boolean {
  printTable(title, [
    ['budget', 'measured', 'limit', ''],
    ...rows.map(({ what, measured, budget, ok }) => [what, measured, budget, verdict(ok)]),
  ]);
  return rows.every(({ ok }) => ok !== false);
}

/** Prints columns, the first row as their head. */
export function printTable(title: string, rows: readonly (readonly string[])[]): void {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  const lines = rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  console.log([`\n## ${title}`, '', ...lines].join('\n'));
}

function verdict(ok: boolean | undefined): string {
  if (ok === undefined) return '-';
  return ok ? 'pass' : 'FAIL';
}
