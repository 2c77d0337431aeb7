/**
 * What a secret looks like, as data for the redactor. The patterns run over text of any length and origin: each begins
 * at a boundary that cannot lie inside its own run of characters, so that none takes more than linear time.
 */

/** Options whose value is a secret: `--token`, `-password`, `--github-api-key`. To be compared without case. */
export const SECRET_OPTION =
  '--?(?:[a-z0-9]{1,32}[-_]){0,4}(?:token|password|passwd|passphrase|api[-_]?key|secret(?:[-_]key)?|access[-_]key|pat)';

/** Names of variables whose value is a secret. A bare `KEY` or a lower-case `sort_key` is none. */
export const SECRET_NAME =
  '(?:[A-Za-z0-9_]*_(?:TOKEN|SECRET|KEY|PASSWORD|PASSWD|PASSPHRASE|PAT)|TOKEN|SECRET|PASSWORD|PASSWD|PGPASSWORD|APIKEY)';

/** Lower-case names, as query strings and configuration words have them. */
const FIELD_NAME =
  '(?:[a-z0-9]{1,32}[-_]){0,4}(?:token|secret|password|passwd|(?:api|access|secret|private|auth)[-_]?key)';

/** A value in a shell's text: quoted (an open quote goes to the end), or up to what ends a word. */
const BARE = '(?:\\\\[\\s\\S]|[^\\s\\\\"\'`;&|<>()])';
const VALUE = `(?:(?:"(?:\\\\[\\s\\S]|[^"\\\\])*"?|'[^']*'?)${BARE}*|${BARE}+)`;

/** Tokens that say what they are by how they begin; the letters behind it are at least as many as no word has. */
const TOKEN_PREFIXES = [
  'gh[pousr]_(?=[A-Za-z0-9]{8})[A-Za-z0-9]+',
  'github_pat_(?=\\w{8})\\w+',
  'glpat-(?=[\\w-]{8})[\\w-]+',
  'sk-(?=[\\w-]{8})[\\w-]+',
  '[sr]k_(?:live|test)_\\w+',
  'xox[a-z]-(?=[\\w-]{8})[\\w-]+',
  'xapp-(?=[\\w-]{8})[\\w-]+',
  '(?:AKIA|ASIA)(?=[A-Z0-9]{12})[A-Z0-9]+',
  'npm_(?=[A-Za-z0-9]{20})[A-Za-z0-9]+',
  'AIza(?=[\\w-]{20})[\\w-]+',
  'hf_(?=[A-Za-z0-9]{16})[A-Za-z0-9]+',
  'gsk_(?=[A-Za-z0-9]{16})[A-Za-z0-9]+',
  'xai-(?=[A-Za-z0-9]{16})[A-Za-z0-9]+',
  'pypi-(?=[\\w-]{16})[\\w-]+',
  'dckr_pat_(?=[\\w-]{8})[\\w-]+',
  'ya29\\.(?=[\\w-]{8})[\\w-]+',
];

export interface TextPattern {
  readonly pattern: RegExp;
  readonly replacement: string;
}

/** Tokens with a known prefix: of the patterns the only one that a word without `=`, `:` and blanks can match. */
export const TOKEN_PATTERN: TextPattern = {
  pattern: new RegExp(`(?<![A-Za-z0-9_])(?:${TOKEN_PREFIXES.join('|')})`, 'g'),
  replacement: '***',
};

/** In the order in which they are applied. All but the last need what MARKS and WORDS tell. */
export const TEXT_PATTERNS: readonly TextPattern[] = [
  // Lone `git@` is a login, not a secret.
  { pattern: /:\/\/(?!git@)[^\s/?#'"]+@/g, replacement: '://***@' },
  { pattern: new RegExp(`(?<![\\w-])(${SECRET_OPTION})(=|\\s+(?!-))${VALUE}`, 'gi'), replacement: '$1$2***' },
  { pattern: new RegExp(`(?<![A-Za-z0-9_])(${SECRET_NAME}=)${VALUE}`, 'g'), replacement: '$1***' },
  { pattern: new RegExp(`(?<![\\w-])(${FIELD_NAME}=)${VALUE}`, 'gi'), replacement: '$1***' },
  { pattern: new RegExp(`("${FIELD_NAME}"\\s*:\\s*")[^"]*`, 'gi'), replacement: '$1***' },
  { pattern: /(?<![A-Za-z])(authorization\s*:\s*(?:[A-Za-z]+\s+)?)[^\s"']+/gi, replacement: '$1***' },
  { pattern: /(?<![A-Za-z])(bearer\s+)[^\s"']+/gi, replacement: '$1***' },
  { pattern: /(?<![\w-])((?:[a-z0-9]{1,32}-){0,4}(?:api-?key|token)\s*:\s*)[^\s"']+/gi, replacement: '$1***' },
  TOKEN_PATTERN,
];

/** What a text holds in which another pattern than that of tokens can match: one of these, */
export const MARKS = /[=:\s]/;
/** and one of these. */
export const WORDS = /@|token|pass|key|secret|pat|bearer|authorization/i;

/** No token is shorter: `sk_live_` and one more. */
export const SHORTEST_TOKEN = 9;
