import { loadPaint, type Paint, type Style } from './paint.ts';
import { escapeUntrusted } from './untrusted.ts';
import { cutText, loadTextWidth, padText, type TextWidth } from './width.ts';

/** One column of a table: how a row's cell reads. Cells may hold untrusted text: the table escapes them. */
export interface Column<Row> {
  readonly header: string;
  readonly align?: 'left' | 'right';
  readonly text: (row: Row) => string;
  /** Where texts are cut at all, its cells are cut to this many. */
  readonly maxCells?: number;
  /** On a terminal too narrow for all, columns with this are left out, that with the lowest first. */
  readonly yields?: number;
  readonly style?: (row: Row) => Style | undefined;
}

/** How the reader of the table sees it. */
export interface TableView {
  readonly isTTY: boolean;
  /** Width of the terminal; undefined: nothing is cut. */
  readonly columns: number | undefined;
  readonly colorLevel: 0 | 1 | 2 | 3;
  /** False: only ASCII may be added to the texts. */
  readonly unicode: boolean;
  /** False: no headers (pipes that want data alone). */
  readonly headers?: boolean;
  /** True: columns with a width of their own are cut to it off a terminal too. */
  readonly clips?: boolean;
}

/**
 * A table, one row a line. On a terminal the last column is cut to its width, and columns that yield are left out until
 * it has some room; elsewhere nothing is cut and nothing coloured. Empty string for no rows.
 */
export async function renderTable<Row>(
  all: readonly Column<Row>[],
  rows: readonly Row[],
  view: TableView,
): Promise<string> {
  if (rows.length === 0) return '';
  const body = rows.map((row) => all.map((column) => escapeUntrusted(column.text(row))));
  const header = all.map((column) => column.header);
  const textWidth = await loadTextWidth(body.flat());
  const whole = view.headers === false ? body : [header, ...body];
  clipColumns(all, whole, view, textWidth);
  const { columns, cells } = leaveOutColumns(all, whole, view, textWidth);
  cutLastColumn(cells, view, textWidth);
  const paint = await loadPaint(view.colorLevel);
  const styles = (line: number): (Style | undefined)[] =>
    styleLine(columns, rows, view.headers === false ? line + 1 : line);
  if (view.isTTY && rows.length <= CLI_TABLE_ROWS) return layOutByCliTable(columns, cells, styles, paint);
  return layOut(columns, cells, styles, paint, textWidth);
}

// A row costs cli-table3 1 ms and more in a program that has only just started: past this many it would take longer than
// all else that a listing does.
const CLI_TABLE_ROWS = 12;
const GAP = '  ';
const SHORTEST_LAST_COLUMN = 10;
const ENOUGH_FOR_LAST_COLUMN = 20;

function clipColumns<Row>(
  columns: readonly Column<Row>[],
  cells: string[][],
  view: TableView,
  textWidth: TextWidth,
): void {
  if (view.clips !== true && (!view.isTTY || view.columns === undefined)) return;
  columns.forEach(({ maxCells }, column) => {
    if (maxCells === undefined) return;
    for (const line of cells) line[column] = cutText(line[column] ?? '', maxCells, markOf(view), textWidth);
  });
}

function markOf({ unicode }: TableView): string {
  return unicode ? '…' : '~';
}

/** Columns that yield go, the least needed first, until the last one has room or as much as its texts need. */
function leaveOutColumns<Row>(
  columns: readonly Column<Row>[],
  cells: string[][],
  view: TableView,
  textWidth: TextWidth,
): { readonly columns: readonly Column<Row>[]; readonly cells: string[][] } {
  if (!view.isTTY || view.columns === undefined) return { columns, cells };
  const widths = columnWidths(cells, textWidth);
  const wanted = Math.min(ENOUGH_FOR_LAST_COLUMN, widths.at(-1) ?? 0);
  const kept = new Set(columns.keys());
  let width = widths.slice(0, -1).reduce((sum, cell) => sum + cell + GAP.length, wanted);
  for (const column of yieldingOrder(columns)) {
    if (width <= view.columns) break;
    kept.delete(column);
    width -= (widths[column] ?? 0) + GAP.length;
  }
  if (kept.size === columns.length) return { columns, cells };
  const isKept = (_: unknown, column: number): boolean => kept.has(column);
  return { columns: columns.filter(isKept), cells: cells.map((line) => line.filter(isKept)) };
}

function yieldingOrder(columns: readonly { readonly yields?: number }[]): number[] {
  return columns
    .flatMap(({ yields }, column) => (yields === undefined ? [] : [{ column, yields }]))
    .sort((a, b) => a.yields - b.yields)
    .map(({ column }) => column);
}

function cutLastColumn(cells: string[][], view: TableView, textWidth: TextWidth): void {
  if (!view.isTTY || view.columns === undefined) return;
  const last = (cells[0]?.length ?? 0) - 1;
  const before = columnWidths(cells, textWidth)
    .slice(0, last)
    .reduce((sum, width) => sum + width + GAP.length, 0);
  const room = Math.max(SHORTEST_LAST_COLUMN, view.columns - before);
  for (const line of cells) line[last] = cutText(line[last] ?? '', room, markOf(view), textWidth);
}

function styleLine<Row>(columns: readonly Column<Row>[], rows: readonly Row[], line: number): (Style | undefined)[] {
  if (line === 0) return columns.map(() => 'dim');
  const row = rows[line - 1];
  return columns.map((column) => (row === undefined ? undefined : column.style?.(row)));
}

async function layOutByCliTable<Row>(
  columns: readonly Column<Row>[],
  cells: readonly string[][],
  styles: (line: number) => (Style | undefined)[],
  paint: Paint,
): Promise<string> {
  const { default: CliTable } = await import('cli-table3');
  // Without these cli-table3 draws borders and colours of its own, into pipes and under NO_COLOR too.
  const table = new CliTable({
    chars: NO_BORDERS,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    colAligns: columns.map((column) => column.align ?? 'left'),
  });
  cells.forEach((line, index) => {
    const style = styles(index);
    table.push(line.map((cell, column) => paint(cell, style[column])));
  });
  return endLines(table.toString().split('\n'));
}

const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: GAP,
};

function layOut<Row>(
  columns: readonly Column<Row>[],
  cells: readonly string[][],
  styles: (line: number) => (Style | undefined)[],
  paint: Paint,
  textWidth: TextWidth,
): string {
  const widths = columnWidths(cells, textWidth);
  return endLines(
    cells.map((line, index) => {
      const style = styles(index);
      return line
        .map((cell, column) => {
          const isLast = column === line.length - 1;
          const align = columns[column]?.align ?? 'left';
          const padded = isLast && align === 'left' ? cell : padText(cell, widths[column] ?? 0, align, textWidth);
          return paint(padded, style[column]);
        })
        .join(GAP);
    }),
  );
}

function columnWidths(cells: readonly (readonly string[])[], textWidth: TextWidth): number[] {
  const widths: number[] = [];
  for (const line of cells) {
    line.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, textWidth(cell));
    });
  }
  return widths;
}

function endLines(lines: readonly string[]): string {
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
