import type { Context } from '../../context.ts';
import type { TableView } from '../../render/table.ts';

/** How the reader of standard output sees tables and trees; with `noTrunc` nothing is cut on a terminal either. */
export function viewOf(context: Context, options: { readonly noTrunc: boolean }): TableView {
  const { stdout } = context;
  return {
    isTTY: stdout.isTTY,
    columns: options.noTrunc ? undefined : stdout.columns,
    colorLevel: stdout.colorLevel,
    unicode: context.unicode,
  };
}
