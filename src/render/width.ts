/** Cells that a printable text takes on a terminal. */
export type TextWidth = (text: string) => number;

/**
 * The measure for these texts: their length if all are ASCII, else string-width (CJK and emoji 2, combining marks 0),
 * which is loaded only then. Texts must have passed escapeUntrusted.
 */
export async function loadTextWidth(texts: Iterable<string>): Promise<TextWidth> {
  for (const text of texts) {
    if (!isAscii(text)) {
      const { default: stringWidth } = await import('string-width');
      return (measured) => measureByPieces(measured, stringWidth);
    }
  }
  return (text) => text.length;
}

/**
 * string-width takes minutes for a text of 64 KiB: it is given what is not ASCII in pieces, each with the character
 * before, to which marks may belong. A longer run may count a cluster twice where it is cut.
 */
function measureByPieces(text: string, stringWidth: TextWidth): number {
  if (isAscii(text)) return text.length;
  let width = 0;
  let from = 0;
  for (const { index, 0: piece } of text.matchAll(/[\x20-\x7e]?[^\x20-\x7e]{1,256}/gu)) {
    width += index - from + stringWidth(piece);
    from = index + piece.length;
  }
  return width + text.length - from;
}

/** Cuts a text to `width` cells, never inside a grapheme; what was cut ends in `mark`. */
export function cutText(text: string, width: number, mark: string, textWidth: TextWidth): string {
  if (textWidth(text) <= width) return text;
  const room = Math.max(0, width - textWidth(mark));
  if (isAscii(text)) return text.slice(0, room) + mark;
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += textWidth(segment);
    if (used > room) break;
    kept += segment;
  }
  return kept + mark;
}

/** Pads a text to `width` cells; a wider one stays as it is. */
export function padText(text: string, width: number, align: 'left' | 'right', textWidth: TextWidth): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'right' ? space + text : text + space;
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
