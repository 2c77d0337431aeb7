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
      return (measured) => (isAscii(measured) ? measured.length : stringWidth(measured));
    }
  }
  return (text) => text.length;
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
