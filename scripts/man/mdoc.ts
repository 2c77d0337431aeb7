/** A macro line of mdoc(7); words that would be read as macros or requests are made plain. */
export function macroLine(macro: string, ...words: readonly string[]): string {
  return `.${[macro, ...words.map(macroArgument)].join(' ')}`.trimEnd();
}

/** Text lines of mdoc(7), one a sentence as its style asks. */
export function text(paragraph: string): string[] {
  return paragraph.split(/(?<=[.?!]) +(?=[A-Z])|\n/).map((line) => escapeRoff(line).replace(/^(?=[.'])/, '\\&'));
}

// A macro's name inside a macro line would be called; those that we call on purpose come as words of their own.
const CALLED = new Set(['Ar', 'Cm', 'Ev', 'Fl', 'Op']);

function macroArgument(word: string): string {
  return CALLED.has(word) ? word : escapeRoff(word).replace(/(^| )(?=[A-Z][a-z]{0,2}(?: |$))/g, '$1\\&');
}

// groff_char(7): a hyphen that is to be typed, and other characters by their code.
function escapeRoff(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(
      /[^\x20-\x7e]/gu,
      (character) => `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}
