import { NEEDED, SECRET_NAME, SECRET_OPTION, TEXT_PATTERNS, TOKEN_PATTERN } from './secret-patterns.ts';

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
  // Most words of most commands are plain: only what may match is asked for, since each pattern is dear to compile.
  for (const { pattern, replacement } of NEEDED.test(text) ? TEXT_PATTERNS : [TOKEN_PATTERN]) {
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
  return (word.startsWith('-') && OPTION.test(word)) || /(?<![A-Za-z])bearer$/i.test(word);
}

function isScriptOption(word: string | undefined): boolean {
  return word !== undefined && /^-[a-z]*c$/.test(word);
}

const OPTION = new RegExp(`^${SECRET_OPTION}$`, 'i');
const ASSIGNED_OPTION = new RegExp(`^${SECRET_OPTION}=(?=[\\s\\S])`, 'i');
const ASSIGNED_NAME = new RegExp(`^(?:--?[a-z-]{1,32}=)?${SECRET_NAME}=(?=[\\s\\S])`);
