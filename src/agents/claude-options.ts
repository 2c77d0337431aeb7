/** Where things stand among the words behind `claude`, by the options of `claude --help` (2.1). */
export interface ClaudeWords {
  /** The first word that is neither an option nor the value of one: a subcommand or the prompt. */
  readonly operand: string | undefined;
  /** Options as typed, without `=value`. */
  readonly options: ReadonlySet<string>;
  /** The last `--settings`, which is the one that counts. */
  readonly settings: SettingsWord | undefined;
}

export interface SettingsWord {
  /** Index of the word that holds the value. */
  readonly index: number;
  readonly value: string;
  /** True for `--settings=VALUE` in one word. */
  readonly joined: boolean;
}

/** Reads the words behind `claude` as its parser (commander) does. */
export function readClaudeWords(words: readonly string[]): ClaudeWords {
  const options = new Set<string>();
  let operand: string | undefined;
  let settings: SettingsWord | undefined;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') {
      operand ??= words[index + 1];
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      operand ??= word;
      continue;
    }
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const name = equals === -1 ? word : word.slice(0, equals);
    options.add(name);
    if (name === '--settings') {
      const value = equals === -1 ? words[index + 1] : word.slice(equals + 1);
      if (value !== undefined) settings = { index: equals === -1 ? index + 1 : index, value, joined: equals !== -1 };
    }
    if (equals === -1) index += countValues(name, words.slice(index + 1));
  }
  return { operand, options, settings };
}

function countValues(option: string, following: readonly string[]): number {
  if (ONE_VALUE.has(option)) return Math.min(1, following.length);
  const values = following.findIndex((word) => word.startsWith('-') && word !== '-');
  const available = values === -1 ? following.length : values;
  if (OPTIONAL_VALUE.has(option)) return Math.min(1, available);
  // The first value is taken whatever it looks like.
  return MANY_VALUES.has(option) ? Math.max(available, Math.min(1, following.length)) : 0;
}

const ONE_VALUE: ReadonlySet<string> = new Set([
  ...['--agent', '--agents', '--append-system-prompt', '--append-system-prompt-file', '--autocompact'],
  ...['--debug-file', '--effort', '--environment', '--fallback-model', '--input-format', '--json-schema'],
  ...['--max-budget-usd', '--max-turns', '--model', '-n', '--name', '--output-format', '--permission-mode'],
  ...['--permission-prompt-tool', '--permission-prompts', '--plugin-dir', '--plugin-url'],
  ...['--remote-control-session-name-prefix', '--session-id', '--setting-sources', '--settings'],
  ...['--system-prompt', '--system-prompt-file', '--system-prompt-snapshot', '--max-thinking-tokens'],
]);

const OPTIONAL_VALUE: ReadonlySet<string> = new Set([
  ...['--cloud', '-d', '--debug', '--from-pr', '--prompt-suggestions', '--remote-control', '-r', '--resume'],
  ...['--teleport', '-w', '--worktree'],
]);

const MANY_VALUES: ReadonlySet<string> = new Set([
  ...['--add-dir', '--allowedTools', '--allowed-tools', '--betas', '--disallowedTools', '--disallowed-tools'],
  ...['--file', '--mcp-config', '--tools'],
]);
