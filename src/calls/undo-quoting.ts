/** Undoes how a `'` is written inside single quotes: `'"'"'` by claude, `'\''` by most others. */
export function undoQuoting(text: string): string {
  return text.replaceAll(`'"'"'`, "'").replaceAll("'\\''", "'");
}

/**
 * The command that the agent wrote, out of the string that claude gives to its shell:
 * `source SNAPSHOT … && … && eval 'COMMAND' < /dev/null && pwd -P >| FILE`. What stands before `eval` differs between
 * versions and settings, so it is found by the grammar: the first unquoted `eval` whose word is followed by that end.
 * Undefined for any other string.
 */
export function extractCommand(shellString: string): string | undefined {
  for (let at = 0; at < shellString.length; ) {
    if (isEvalAt(shellString, at)) {
      const word = readWord(shellString, at + EVAL.length);
      if (word !== undefined && END.test(shellString.slice(word.end))) return word.text;
    }
    const next = skipUnit(shellString, at);
    if (next === undefined) return undefined;
    at = next;
  }
  return undefined;
}

const EVAL = 'eval ';
const END = /^(?: < \/dev\/null)?;?(?: \})? && (?:\{ .*)?pwd -P >\| \S/;

function isEvalAt(text: string, at: number): boolean {
  return text.startsWith(EVAL, at) && (at === 0 || text.endsWith('&& ', at) || text.endsWith('{ ', at));
}

interface Word {
  readonly text: string;
  readonly end: number;
}

/** Reads one word of the shell command language (POSIX, 2.2 Quoting); undefined if a quote is left open. */
function readWord(text: string, start: number): Word | undefined {
  let value = '';
  for (let at = start; at < text.length; ) {
    const unit = text[at] ?? '';
    if (/[\s;&|<>]/.test(unit)) return { text: value, end: at };
    const next = skipUnit(text, at);
    if (next === undefined) return undefined;
    if (unit === "'") value += text.slice(at + 1, next - 1);
    else if (unit === '"') value += text.slice(at + 1, next - 1).replace(/\\([$`"\\])|\\\n/g, '$1');
    else if (unit === '\\') value += text.slice(at + 1, next);
    else value += unit;
    at = next;
  }
  return { text: value, end: text.length };
}

/** The index behind a quoted part, an escaped character, or one plain character; undefined if a quote is left open. */
function skipUnit(text: string, at: number): number | undefined {
  const unit = text[at];
  if (unit === '\\') return Math.min(at + 2, text.length);
  if (unit === "'") {
    const close = text.indexOf("'", at + 1);
    return close === -1 ? undefined : close + 1;
  }
  if (unit !== '"') return at + 1;
  for (let inside = at + 1; inside < text.length; inside += 1) {
    if (text[inside] === '\\') inside += 1;
    else if (text[inside] === '"') return inside + 1;
  }
  return undefined;
}
