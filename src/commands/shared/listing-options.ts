import type { Command } from 'commander';
import type { RowFilter } from '../../filter/query.ts';
import type { RowSort } from '../../filter/sort.ts';

/** The flags that `blocks`, `ps`, `tree` and `ports` share, as commander leaves them. */
export interface RawListingOptions {
  /** True for `--block` without a value. */
  readonly block?: string | true;
  readonly all?: boolean;
  readonly json?: boolean;
  readonly ports: boolean;
  readonly trunc: boolean;
  readonly redact: boolean;
  readonly verbose?: boolean;
}

/** The flags that choose rows and how they are printed, as commander leaves them. */
export interface RawQueryOptions {
  readonly quiet?: boolean;
  readonly format?: string;
  readonly filter?: readonly string[];
  readonly sort?: string;
}

/** Adds the flags that listings of blocks have; `all` says what `--all` adds. */
export function addListingOptions(command: Command, all: string): Command {
  addBlockOption(command).option('-a, --all', all).option('--json', 'print one JSON document');
  command.option('--no-ports', 'do not look for listening ports');
  return addTextOptions(command).option('--verbose', 'also say how each thing is known');
}

/** Adds `--block`. */
export function addBlockOption(command: Command): Command {
  return command.option(
    '--block [id]',
    'only this block, by its id or a unique prefix; without one the block we are in',
  );
}

/** Adds the flags about the texts of a listing. */
export function addTextOptions(command: Command): Command {
  return command
    .option('--no-trunc', 'do not cut lines to the terminal')
    .option('--no-redact', 'show secrets in command lines');
}

/** What a listing offers beside its table. */
export interface QueryHelp {
  /** What `-q` prints. */
  readonly quiet: string;
  /** Two fields, as an example of a template. */
  readonly format: string;
  readonly filter: { readonly help: string };
  readonly sort: { readonly help: string };
}

/** Adds `-q`, `--format`, `--filter` and `--sort`, which all listings have. */
export function addQueryOptions(command: Command, { quiet, format, filter, sort }: QueryHelp): Command {
  return command
    .option('-q, --quiet', `print only ${quiet}`)
    .option('--format <form>', `table, json, or fields of the JSON rows, as in '${format}'`)
    .option('-f, --filter <filter>', `only rows with ${filter.help}; may be repeated`, collect)
    .option('--sort <keys>', sort.help);
}

/** What is asked of rows. */
export interface RowQuery<Row> {
  /** True if all rows are wanted, as they are. */
  readonly isPlain: boolean;
  matches(row: Row): boolean;
  /** Those that match, sorted. */
  apply<T extends Row>(rows: readonly T[]): T[];
  /** As they are without `--sort`. */
  sort<T extends Row>(rows: readonly T[]): T[];
}

/** Settles `--filter` and `--sort`. Throws a usage error. */
export function parseRowQuery<Row>(raw: RawQueryOptions, filter: RowFilter<Row>, sort: RowSort<Row>): RowQuery<Row> {
  const conditions = filter.parse(raw.filter ?? []);
  const keys = raw.sort === undefined ? undefined : sort.parse(raw.sort);
  const matches = (row: Row): boolean => filter.matches(row, conditions);
  const sortRows = <T extends Row>(rows: readonly T[]): T[] => (keys === undefined ? [...rows] : sort.sort(rows, keys));
  return {
    isPlain: conditions.length === 0 && keys === undefined,
    matches,
    apply: (rows) => sortRows(rows.filter(matches)),
    sort: sortRows,
  };
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
