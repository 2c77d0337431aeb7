import type { Style } from './paint.ts';
import { cutText, type TextWidth } from './width.ts';

/** A piece of a line. Its text has passed escapeUntrusted, or is the program's own. */
export interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}

/** One line of the screen. */
export interface Line {
  readonly spans: readonly Span[];
  /** Drawn in reverse over the whole width. */
  readonly selected?: boolean;
}

/** What a line is written for. */
export interface LineView {
  readonly columns: number;
  /** 0: attributes such as bold and reverse, but no colours. */
  readonly colorLevel: 0 | 1 | 2 | 3;
  /** False: only ASCII may be added to the texts. */
  readonly unicode: boolean;
  readonly textWidth: TextWidth;
}

/** A line of plain text. */
export function textLine(text: string, style?: Style): Line {
  return { spans: [{ text, style }] };
}

/**
 * The characters of a line: at most `columns` cells, cut at a grapheme, styles set and reset within it. A selected line
 * is filled up with blanks, of any other the rest is erased.
 */
export function encodeLine(line: Line, view: LineView): string {
  let room = view.columns;
  let text = '';
  for (const span of line.spans) {
    if (room <= 0) break;
    const shown = cutSpan(span.text, room, view);
    room -= view.textWidth(shown);
    text += paint(shown, span.style, line.selected === true, view.colorLevel);
  }
  if (room <= 0) return text;
  return line.selected === true ? text + paint(' '.repeat(room), undefined, true, view.colorLevel) : `${text}${ERASE}`;
}

const ERASE = '\x1b[K';
const REVERSE = 7;

const ATTRIBUTES: Readonly<Record<Style, number | undefined>> = {
  bold: 1,
  dim: 2,
  red: undefined,
  yellow: undefined,
  green: undefined,
  cyan: undefined,
};
const COLORS: Readonly<Record<Style, number | undefined>> = {
  bold: 1,
  dim: 2,
  red: 31,
  yellow: 33,
  green: 32,
  cyan: 36,
};

/** A mark that is wider than the room itself leaves nothing. */
function cutSpan(text: string, room: number, { unicode, textWidth }: LineView): string {
  const mark = unicode ? '…' : '~';
  const cut = cutText(text, room, mark, textWidth);
  return textWidth(cut) <= room ? cut : '';
}

function paint(text: string, style: Style | undefined, selected: boolean, level: LineView['colorLevel']): string {
  if (text === '') return '';
  const code = style === undefined ? undefined : (level === 0 ? ATTRIBUTES : COLORS)[style];
  // Dim on reverse is hard to read on many terminals.
  const codes = [selected ? REVERSE : undefined, selected && style === 'dim' ? undefined : code].filter(
    (one) => one !== undefined,
  );
  return codes.length === 0 ? text : `\x1b[${codes.join(';')}m${text}\x1b[0m`;
}
