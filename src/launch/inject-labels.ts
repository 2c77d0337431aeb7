import { type ClaudeLabels, labelClaude } from '../agents/claude-labels.ts';

export interface LabelsInput {
  /** Of the agent's profile; undefined for an unknown agent. */
  readonly profileId: string | undefined;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where records of tool calls go; the run makes it. */
  readonly callsDirectory: string;
  /** Absolute path of agentmux-bashwrap; undefined if this installation has none that can be run. */
  readonly bashwrapPath: string | undefined;
  /** Why this system offers no labels; undefined if it does. */
  readonly obstacle?: string | undefined;
  /** The text of a file, a relative path from the working directory of the run; undefined if it cannot be read. */
  readonly readFile: (path: string) => string | undefined;
}

/** What is changed of the agent's command so that its tool calls are labelled. */
export interface Labels {
  readonly argv: readonly string[];
  /** Variables to add. */
  readonly env: Readonly<Record<string, string>>;
  /** In words, for `--dry-run` and `--verbose`: what is added and what could not be. */
  readonly notes: readonly string[];
  /** To be written, mode 0600, before the start: its path is in argv already. */
  readonly settingsFile: { readonly path: string; readonly text: string } | undefined;
}

/**
 * The one exception to an agent's arguments being untouched: what its profile needs to tell which tool call started a
 * process. Fails open: what cannot be added is left out and noted. Reads the user's settings file and writes nothing.
 */
export function injectLabels(input: LabelsInput): Labels {
  const { argv, callsDirectory, bashwrapPath } = input;
  const plain: Labels = { argv, env: { AGENTMUX_CALLS: callsDirectory }, notes: [], settingsFile: undefined };
  if (input.obstacle !== undefined) {
    return { ...plain, env: {}, notes: input.profileId === 'claude' ? [`no labels: ${input.obstacle}`] : [] };
  }
  if (input.profileId !== 'claude') return plain;
  if (bashwrapPath === undefined) return { ...plain, notes: ['no labels: agentmux-bashwrap is missing'] };
  const labels = labelClaude({ ...input, bashwrap: bashwrapPath });
  if (typeof labels === 'string') return { ...plain, notes: [`no labels: ${labels}`] };
  return { ...placeSettings(labels, callsDirectory), env: { ...plain.env, ...labels.env } };
}

/** Replaces words of a command by their bytes where they did not change: they may be no UTF-8. */
export function keepBytes(words: readonly string[], before: readonly string[], bytes: readonly Buffer[]): Buffer[] {
  let head = 0;
  while (head < before.length && words[head] === before[head]) head += 1;
  let tail = 0;
  while (tail < before.length - head && words.at(-1 - tail) === before.at(-1 - tail)) tail += 1;
  const changed = words.slice(head, words.length - tail).map((word) => Buffer.from(word));
  return [...bytes.slice(0, head), ...changed, ...bytes.slice(bytes.length - tail)];
}

function placeSettings({ argv, settingsFile, notes }: ClaudeLabels, directory: string): Omit<Labels, 'env'> {
  const hook = '--settings with a PreToolUse hook for Bash';
  const prefix = 'CLAUDE_CODE_SHELL_PREFIX';
  if (settingsFile === undefined) {
    return { argv, settingsFile, notes: [notes.length === 0 ? `${hook}, ${prefix}` : prefix, ...notes] };
  }
  const path = `${directory}/settings.json`;
  const word = settingsFile.before + path;
  return {
    argv: argv.with(settingsFile.index, word),
    settingsFile: { path, text: settingsFile.text },
    notes: [`${hook}, merged with yours in ${path}, ${prefix}`],
  };
}
