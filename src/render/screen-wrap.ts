import type { CellView } from './screen-columns.ts';
import { cutText } from './width.ts';

/** Breaks printable text into at most `most` lines of `width` cells, at blanks where it can; the last one is cut. */
export function wrapText(text: string, width: number, most: number, view: CellView): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '' && lines.length < most) {
    if (lines.length === most - 1 || view.textWidth(rest) <= width) {
      lines.push(cutText(rest, width, view.unicode ? '…' : '~', view.textWidth));
      return lines;
    }
    const whole = cutText(rest, width, '', view.textWidth);
    const blank = whole.lastIndexOf(' ');
    const line = blank > width / 2 ? whole.slice(0, blank) : whole;
    // A grapheme that is wider than the line would be for ever the next one.
    if (line === '') return lines;
    lines.push(line);
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}
