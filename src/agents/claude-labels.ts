import { findClaude } from './claude-command.ts';
import { readClaudeWords, type SettingsWord } from './claude-options.ts';
import { profileForCommand } from './command.ts';

export interface ClaudeLabelsInput {
  /** The command as the user typed it, a launcher before `claude` included. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of agentmux-bashwrap. */
  readonly bashwrap: string;
  /** The text of the user's settings file; undefined if it cannot be read. */
  readonly readFile: (path: string) => string | undefined;
}

/** What to start instead. */
export interface ClaudeLabels {
  readonly argv: readonly string[];
  /** Variables to set. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * A file to write before the start and the index of the argument that is its path: settings of a file are not shown on
   * a command line, which everybody can read.
   */
  readonly settingsFile: { readonly text: string; readonly index: number; readonly before: string } | undefined;
  /** What could not be done, in words. */
  readonly notes: readonly string[];
}

/**
 * Gives claude a PreToolUse hook and a shell prefix, both agentmux-bashwrap, so that the processes of its tool calls can
 * be told apart. Of two `--settings` claude takes the last alone, so the user's own is merged with ours into one. What
 * cannot be merged is left as it is: the prefix alone then still tells which processes belong to one call, only without
 * id and description. Returns the reason as text where nothing is to be done. Pure.
 */
export function labelClaude(input: ClaudeLabelsInput): ClaudeLabels | string {
  if (profileForCommand(input.argv)?.id !== 'claude') return 'not claude';
  const start = findClaude(input.argv);
  if (start === undefined) return 'claude is started by a launcher whose arguments cannot be told from those of claude';
  const words = readClaudeWords(input.argv.slice(start));
  if (words.operand !== undefined && SUBCOMMANDS.has(words.operand)) return `"claude ${words.operand}" runs no tools`;
  const mode = [...words.options].find((option) => MODES_WITHOUT.has(option));
  if (mode !== undefined) return `claude runs without hooks or elsewhere with ${mode}`;
  const variable = ['CLAUDE_CODE_SIMPLE', 'CLAUDE_CODE_SAFE_MODE'].find((name) => isOn(input.env[name]));
  if (variable !== undefined) return `claude runs without hooks with ${variable} set`;
  if (/[^\x20-\x7e]|'| -/.test(input.bashwrap))
    return 'the path of agentmux-bashwrap has characters that claude splits';
  const settings = addSettings(input, start, words.settings);
  return { ...settings, env: chainPrefix(input) };
}

/** The settings that wire the hook, for `agentmux hook claude`. */
export function claudeHookSettings(bashwrap: string): SettingsObject {
  return { hooks: { PreToolUse: [hookEntry(bashwrap)] } };
}

type SettingsObject = Readonly<Record<string, unknown>>;

/**
 * In exec form, which needs no shell; a claude that does not know `args` yet runs the path alone, and without arguments
 * agentmux-bashwrap is the hook too.
 */
function hookEntry(bashwrap: string): SettingsObject {
  return { matcher: 'Bash', hooks: [{ type: 'command', command: bashwrap, args: ['--hook'], timeout: 5 }] };
}

/**
 * A prefix of the user's goes on as AGENTMUX_SHELL_PREFIX, and agentmux-bashwrap runs it. Our own, inherited from an
 * agent around us, is none.
 */
function chainPrefix({ env, bashwrap }: ClaudeLabelsInput): ClaudeLabels['env'] {
  const inherited = env['CLAUDE_CODE_SHELL_PREFIX'];
  const isUsers = inherited !== undefined && inherited !== '' && !/(^|\/)agentmux-bashwrap$/.test(inherited);
  const chained = isUsers || env['AGENTMUX_SHELL_PREFIX'] !== undefined;
  return {
    CLAUDE_CODE_SHELL_PREFIX: bashwrap,
    ...(chained && { AGENTMUX_SHELL_PREFIX: isUsers ? inherited : '' }),
  };
}

function addSettings(
  { argv, bashwrap, readFile }: ClaudeLabelsInput,
  start: number,
  word: SettingsWord | undefined,
): Omit<ClaudeLabels, 'env'> {
  const ours = claudeHookSettings(bashwrap);
  if (word === undefined) {
    const inserted = [...argv.slice(0, start), '--settings', JSON.stringify(ours), ...argv.slice(start)];
    return { argv: inserted, settingsFile: undefined, notes: [] };
  }
  const isInline = /^\s*\{[\s\S]*\}\s*$/.test(word.value);
  const text = isInline ? word.value : readFile(word.value);
  const merged = text === undefined ? 'it cannot be read' : mergeSettings(text, ours, isInline);
  if (typeof merged === 'string')
    return { argv, settingsFile: undefined, notes: [`--settings is kept as it is: ${merged}`] };
  const json = JSON.stringify(merged);
  const before = word.joined ? '--settings=' : '';
  const index = start + word.index;
  if (!isInline) return { argv, settingsFile: { text: json, index, before }, notes: [] };
  return { argv: argv.with(index, before + json), settingsFile: undefined, notes: [] };
}

/** The user's settings with our hook behind theirs, or why they cannot be merged. */
function mergeSettings(text: string, ours: SettingsObject, isInline: boolean): SettingsObject | string {
  const settings = parseObject(text);
  if (settings === undefined) return 'it is no JSON object';
  const hooks = settings['hooks'] ?? {};
  const before = isObject(hooks) ? (hooks['PreToolUse'] ?? []) : undefined;
  if (!isObject(hooks) || !Array.isArray(before)) return 'its hooks are in no form that is known';
  if (!isInline && isBoundToPlace(settings)) return 'its rules are relative to its own directory';
  const added = isObject(ours['hooks']) ? ours['hooks']['PreToolUse'] : undefined;
  return { ...settings, hooks: { ...hooks, PreToolUse: [...before, ...(Array.isArray(added) ? added : [])] } };
}

/** `Read(/x)` and paths of the sandbox mean a place beside the file that they stand in; `Read(//x)` is absolute. */
function isBoundToPlace(settings: SettingsObject): boolean {
  const rules = JSON.stringify([settings['permissions'] ?? null, settings['sandbox'] ?? null]);
  return /\(\/[^/]/.test(rules) || settings['sandbox'] !== undefined;
}

function parseObject(text: string): SettingsObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is SettingsObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !/^(|0|false|no|off)$/i.test(value.trim());
}

/** First words that are no prompt, hidden ones included. */
const SUBCOMMANDS: ReadonlySet<string> = new Set([
  ...['agents', 'attach', 'auth', 'auto-mode', 'config', 'daemon', 'doctor', 'edit-hook', 'error', 'export'],
  ...['forward-home-settings', 'gateway', 'import', 'install', 'kill', 'log', 'logs', 'mcp', 'migrate-installer'],
  ...['plugin', 'plugins', 'project', 'purge', 'rc', 'remote-control', 'respawn', 'rm', 'rollback', 'sandbox'],
  ...['setup-token', 'stop', 'ultrareview', 'update', 'upgrade', 'workspace-trust'],
]);

/** Options with which claude reads no hooks, starts no tools here, or only prints something. */
const MODES_WITHOUT: ReadonlySet<string> = new Set([
  ...['--bare', '--safe-mode', '--restricted', '--bg', '--background', '--cloud', '--teleport', '--desktop'],
  ...['--tmux', '-h', '--help', '-v', '--version', '--bg-pty-host'],
]);
