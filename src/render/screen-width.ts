import { loadTextWidth, type TextWidth } from './width.ts';

/**
 * The measure of a screen that may show any text. What the program draws itself takes one cell a character, and most
 * texts are ASCII: the others alone are measured grapheme by grapheme.
 */
export async function loadScreenWidth(): Promise<TextWidth> {
  const measure = await loadTextWidth([ANY]);
  return (text) => (NARROW.test(text) ? text.length : measure(text));
}

/** Makes loadTextWidth load the measure for all texts. */
const ANY = '\u3042';
const NARROW = /^[\x20-\x7e─│├└▸×…▏]*$/;
