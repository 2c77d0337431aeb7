import type { Style } from './paint.ts';
import type { Line, Span } from './screen-line.ts';
import { escapeUntrusted } from './untrusted.ts';
import { cutText, padText, type TextWidth } from './width.ts';

/** One column of a list on the screen. Its cells may hold untrusted text: they are escaped here. */
export interface ScreenColumn<Row> {
  readonly header: string;
  /** Stands where the head does not fit. */
  readonly shortHeader?: string;
  readonly align?: 'left' | 'right';
  /** Fewest and most cells; equal for what should not move from look to look. */
  readonly min: number;
  readonly max: number;
  readonly text: (row: Row) => string;
  readonly style?: (row: Row) => Style | undefined;
}

/** Columns with their widths. */
export type PlacedColumn<Row> = ScreenColumn<Row> & { readonly width: number };

/** What cells need to be cut and measured. */
export interface CellView {
  readonly unicode: boolean;
  readonly textWidth: TextWidth;
}

/**
 * Widths of the columns so that they fit: each as wide as its cells and its head within its limits; heads are cut
 * first, then the widest cells, and the last columns are left out where even the least is too much.
 */
export function placeColumns<Row>(
  columns: readonly ScreenColumn<Row>[],
  rows: readonly Row[],
  room: number,
  textWidth: TextWidth,
): PlacedColumn<Row>[] {
  const needs = columns.map(({ min, max, text }) => {
    if (min === max) return min;
    const widest = rows.reduce((most, row) => Math.max(most, textWidth(escapeUntrusted(text(row)))), min);
    return Math.min(max, widest);
  });
  const widths = columns.map(({ header, max }, index) => Math.min(max, Math.max(header.length, needs[index] ?? 0)));
  let count = columns.length;
  const total = (): number => widths.slice(0, count).reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  while (total() > room && count > 0) {
    const index =
      findWidest(needs, widths, count) ??
      findWidest(
        columns.map(({ min }) => min),
        widths,
        count,
      );
    if (index === undefined) count -= 1;
    else widths[index] = (widths[index] ?? 0) - 1;
  }
  return columns.slice(0, count).map((column, index) => ({ ...column, width: widths[index] ?? 0 }));
}

/** The heads of the columns. */
export function headerSpan<Row>(columns: readonly PlacedColumn<Row>[], textWidth: TextWidth): Span {
  const cells = columns.map(({ header, shortHeader = header, align = 'left', width }) => {
    const shown = header.length <= width ? header : shortHeader.slice(0, width);
    return padText(shown, width, align, textWidth);
  });
  return { text: cells.join(GAP), style: 'dim' };
}

/** The cells of a row, a gap between them. */
export function rowSpans<Row>(columns: readonly PlacedColumn<Row>[], row: Row, view: CellView): Span[] {
  return columns.flatMap((column, index): Span[] => {
    const text = cutText(escapeUntrusted(column.text(row)), column.width, view.unicode ? '…' : '~', view.textWidth);
    const cell = {
      text: padText(text, column.width, column.align ?? 'left', view.textWidth),
      style: column.style?.(row),
    };
    return index === 0 ? [cell] : [{ text: GAP }, cell];
  });
}

/** Cells that the columns take. */
export function columnsWidth<Row>(columns: readonly PlacedColumn<Row>[]): number {
  return columns.reduce((sum, { width }) => sum + width + GAP.length, columns.length === 0 ? 0 : -GAP.length);
}

/** A title over the whole width, drawn as a rule. */
export function ruleLine(title: string, columns: number, isFocused: boolean, view: CellView): Line {
  const rule = view.unicode ? '─' : '-';
  const text = `${rule}${rule} ${escapeUntrusted(title)} `;
  const rest = rule.repeat(Math.max(0, columns - view.textWidth(text)));
  return {
    spans: [
      { text, style: isFocused ? 'bold' : 'dim' },
      { text: rest, style: 'dim' },
    ],
  };
}

const GAP = ' ';

/** The widest of the columns that are wider than their least; undefined if none is. */
function findWidest(least: readonly number[], widths: readonly number[], count: number): number | undefined {
  let found: number | undefined;
  for (let index = 0; index < count; index += 1) {
    const width = widths[index] ?? 0;
    if (width > (least[index] ?? 0) && width > (widths[found ?? -1] ?? 0)) found = index;
  }
  return found;
}
