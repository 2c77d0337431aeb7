/**
 * The one place that makes untrusted text printable: everything that came from a process, a file or an agent passes
 * through here before it reaches a terminal or a document. Nothing else in the program may print such text.
 */

/**
 * Makes text safe for one line of a terminal: control characters (C0, DEL, C1), line and paragraph separators, bidi
 * controls, zero-width, tag and other invisible characters and lone surrogates become visible escapes such as `\x1b`,
 * `\u202e` or `\u{e0041}`. A zero-width joiner and U+FE0F stay where they hold an emoji together.
 * The result is for people: a backslash of the text itself is not doubled.
 */
export function escapeUntrusted(text: string): string {
  if (PLAIN.test(text)) return text;
  const { emojiOrHidden, startsHidden } = patterns();
  return text.replace(emojiOrHidden, (match) => (startsHidden.test(match) ? escapeHidden(match) : match));
}

/**
 * Escapes in a JSON document what JSON.stringify leaves as it is but a terminal or a line reader would act on (DEL, C1,
 * U+2028, bidi and invisible characters). Parsing gives the very same values.
 */
export function escapeJson(json: string): string {
  return PLAIN_JSON.test(json) ? json : json.replace(patterns().hiddenButNewline, escapeUtf16);
}

const PLAIN = /^[\x20-\x7e]*$/;
const PLAIN_JSON = /^[\n\x20-\x7e]*$/;

interface Patterns {
  readonly hiddenButNewline: RegExp;
  readonly startsHidden: RegExp;
  readonly emojiOrHidden: RegExp;
}

let compiled: Patterns | undefined;

/** Classes of Unicode properties take milliseconds to build: most starts need none. */
function patterns(): Patterns {
  // Cc: C0, DEL, C1. Cf: bidi controls, zero-width, tags, soft hyphen … Zl, Zp: U+2028, U+2029. Cs: with the u flag only
  // lone surrogates. DI: what renderers draw as nothing (fillers, variation selectors, combining grapheme joiner).
  const hidden = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{DI}]`;
  // An emoji as in UTS #51: a pictograph with an optional skin tone and U+FE0F, joined to others by U+200D; or a keycap.
  const pictograph = String.raw`\p{ExtPict}\p{EMod}?\ufe0f?`;
  const emoji = String.raw`${pictograph}(?:\u200d${pictograph})*|[0-9#*]\ufe0f\u20e3`;
  compiled ??= {
    hiddenButNewline: new RegExp(String.raw`(?!\n)${hidden}`, 'gu'),
    startsHidden: new RegExp(`^${hidden}`, 'u'),
    emojiOrHidden: new RegExp(`${emoji}|${hidden}`, 'gu'),
  };
  return compiled;
}

const NAMED: Readonly<Record<string, string>> = { '\n': String.raw`\n`, '\r': String.raw`\r`, '\t': String.raw`\t` };

function escapeHidden(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return NAMED[character] ?? String.raw`\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? String.raw`\u${hex.padStart(4, '0')}` : String.raw`\u{${hex}}`;
}

function escapeUtf16(character: string): string {
  let escaped = '';
  for (let i = 0; i < character.length; i++) {
    escaped += String.raw`\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}
