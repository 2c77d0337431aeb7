import { AgentmuxError } from '../errors.ts';

export interface SortKey {
  readonly key: string;
  readonly descending: boolean;
}

/** The order of one kind of listing. */
export interface RowSort<Row> {
  /** What `--sort` takes, for help texts. */
  readonly help: string;
  readonly keys: readonly string[];
  /** Parses the value of `--sort`: keys separated by commas, `-` in front of one for descending. Throws `usage`. */
  parse(text: string): SortKey[];
  /**
   * A sorted copy. Unknown values come last in both directions; what is equal is ordered by start time and pid, where
   * rows have them, else stays as it was.
   */
  sort<T extends Row>(rows: readonly T[], keys: readonly SortKey[]): T[];
}

/** An order by these values of a row; an unknown one is undefined. */
export function createSort<Row extends object>(
  readers: Readonly<Record<string, (row: Row) => string | number | undefined>>,
): RowSort<Row> {
  const keys = Object.keys(readers);
  return {
    help: `one of ${keys.join(', ')}, or several with commas between; -KEY for descending`,
    keys,
    parse: (text) => text.split(',').map((part) => parseKey(part, keys)),
    sort: (rows, wanted) =>
      [...rows].sort((a, b) => {
        for (const { key, descending } of wanted) {
          const order = compareValues(readers[key]?.(a), readers[key]?.(b), descending);
          if (order !== 0) return order;
        }
        return compareAge(a, b);
      }),
  };
}

function parseKey(part: string, keys: readonly string[]): SortKey {
  const descending = part.startsWith('-');
  const key = descending ? part.slice(1) : part;
  if (keys.includes(key)) return { key, descending };
  throw new AgentmuxError('usage', `cannot sort by "${part}"`, {
    code: 'bad-sort-key',
    hint: `keys: ${keys.join(' ')}; -KEY for descending`,
  });
}

function compareValues(a: string | number | undefined, b: string | number | undefined, descending: boolean): number {
  if (a === undefined || b === undefined) {
    return Number(a === undefined) - Number(b === undefined);
  }
  // By code units: the same order on every machine.
  const order = a < b ? -1 : Number(a > b);
  return descending ? -order : order;
}

interface Aged {
  readonly pid?: number | undefined;
  readonly startTicks?: number | undefined;
}

function compareAge(a: Aged, b: Aged): number {
  return compareValues(a.startTicks, b.startTicks, false) || compareValues(a.pid, b.pid, false);
}
