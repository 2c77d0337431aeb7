import {
  MARKS,
  SECRET_NAME,
  SECRET_OPTION,
  SHORTEST_TOKEN,
  TEXT_PATTERNS,
  type TextPattern,
  TOKEN_PATTERN,
  WORDS,
} from './secret-patterns.ts';

export interface RedactedText {
  readonly text: string;
  readonly redacted: boolean;
}

export interface RedactedArgv {
  readonly argv: readonly string[];
  readonly redacted: boolean;
}

/**
 * Replaces what is known to be a secret by `***`: tokens with a known prefix, values of options and variables named as
 * secrets, `Bearer` and the user part of URLs. Nothing is guessed by how random it looks.
 * The one redactor of the program, for people and for JSON.
 */
export function redactText(text: string): RedactedText {
  let result = text;
  for (const { pattern, replacement } of patternsFor(text)) {
    result = result.replace(pattern, replacement);
  }
  return { text: result, redacted: result !== text };
}

/** As redactText for an argument vector, where a secret can be a word of its own, blanks included. */
export function redactArgv(argv: readonly string[]): RedactedArgv {
  let redacted = false;
  const words = argv.map((word, index) => {
    const result = redactWord(word, argv[index - 1]);
    redacted ||= result !== word;
    return result;
  });
  return { argv: words, redacted };
}

/** Those that may match: most words of most commands are plain, and each pattern is dear to compile. */
function patternsFor(text: string): readonly TextPattern[] {
  if (MARKS.test(text) && WORDS.test(text)) return TEXT_PATTERNS;
  return text.length < SHORTEST_TOKEN ? [] : [TOKEN_PATTERN];
}

function redactWord(word: string, previous: string | undefined): string {
  if (previous !== undefined && takesSecret(previous) && word !== '' && !word.startsWith('--')) {
    return '***';
  }
  // A word `NAME=V` is a secret to its end; behind `-c` it is a script, where V ends at a blank.
  const isAssigned = word.includes('=') && !isScriptOption(previous);
  const assigned = isAssigned ? (ASSIGNED_NAME.exec(word) ?? ASSIGNED_OPTION.exec(word)) : null;
  return assigned === null ? redactText(word).text : `${assigned[0]}***`;
}

function takesSecret(word: string): boolean {
  return (word.startsWith('-') && OPTION.test(word)) || (word.length >= 6 && BEARER.test(word));
}

function isScriptOption(word: string | undefined): boolean {
  return word?.startsWith('-') === true && /^-[a-z]*c$/.test(word);
}

const BEARER = /(?<![A-Za-z])bearer$/i;
const OPTION = new RegExp(`^${SECRET_OPTION}$`, 'i');
const ASSIGNED_OPTION = new RegExp(`^${SECRET_OPTION}=(?=[\\s\\S])`, 'i');
const ASSIGNED_NAME = new RegExp(`^(?:--?[a-z-]{1,32}=)?${SECRET_NAME}=(?=[\\s\\S])`);
