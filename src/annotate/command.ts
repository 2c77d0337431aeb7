import { GuessedArgv } from '../model/process.ts';

/**
 * A command line for people: the words joined by blanks, quoted where a shell would not read them as they are. Control
 * characters are left to the renderer. In a redacted one the `***` is no reason for quotes. Words that are guessed are
 * not quoted: that would tell where each ends.
 */
export function formatCommand(argv: readonly string[], redacted = false): string {
  if (argv instanceof GuessedArgv) return argv.join(' ');
  return argv
    .map((word) => (redacted && !NEEDS_QUOTES.test(word.replaceAll('***', '')) && word !== '' ? word : quoteWord(word)))
    .join(' ');
}

/** A word as a POSIX shell reads it back; a plain path of Windows, which no POSIX shell is given, as it is. */
export function quoteWord(word: string): string {
  return word !== '' && (!NEEDS_QUOTES.test(word) || WINDOWS_PATH.test(word))
    ? word
    : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The command of a process; `[comm]` where argv is empty or unreadable; undefined if nothing is known. */
export function describeCommand(
  argv: readonly string[] | undefined,
  comm: string | undefined,
  redacted = false,
): string | undefined {
  if (argv?.some((word) => word !== '')) {
    return formatCommand(argv, redacted);
  }
  return comm === undefined ? undefined : `[${comm}]`;
}

// From a drive or a share on; with nothing in it but backslashes that asks for quotes.
const WINDOWS_PATH = /^([A-Za-z]:|\\\\[\w.-]+)\\[\w.\\/~+@,=-]*$/;

// Blanks of any kind, control characters, and what a shell expands or splits at; `~` and `#` only in front.
const NEEDS_QUOTES = /[\s\x00-\x1f\x7f'"\\$`&|;<>()*?[\]{}!]|^[~#]/u;
