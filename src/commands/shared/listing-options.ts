import type { Command } from 'commander';

/** The flags that `blocks`, `ps` and `tree` share, as commander leaves them. */
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

/** Adds the flags that all listings have; `all` says what `--all` adds. */
export function addListingOptions(command: Command, all: string): Command {
  return command
    .option('--block [id]', 'only this block, by its id or a unique prefix; without one the block we are in')
    .option('-a, --all', all)
    .option('--json', 'print one JSON document')
    .option('--no-ports', 'do not look for listening ports')
    .option('--no-trunc', 'do not cut lines to the terminal')
    .option('--no-redact', 'show secrets in command lines')
    .option('--verbose', 'also say how each thing is known');
}
