import { isLauncherName } from '../agents/launchers.ts';
import { baseName } from '../filter/shells.ts';
import { scriptOf } from './entry-name.ts';
import { noteOnProgram } from './known-programs.ts';

/**
 * Programs in a shell command that hand work to somebody who is no member of the block (tmux, systemd-run, at, docker,
 * ssh …), by name, each once. As far as the text tells: what stands in quotes is read only where a shell is told to run it.
 */
export function findHandOvers(command: string, depth = 0): string[] {
  const names = splitCommands(command.slice(0, MAX_LENGTH)).flatMap((words) => {
    const argv = skipWrappers(words);
    const script = scriptOf({ exe: undefined, argv, comm: undefined });
    if (script !== undefined) return depth < MAX_DEPTH ? findHandOvers(script, depth + 1) : [];
    const name = baseName(argv[0] ?? '');
    return /^(?:hands work|works|containers) /.test(noteOnProgram({ exe: undefined, argv, comm: name }) ?? '')
      ? [name]
      : [];
  });
  return [...new Set(names)];
}

const MAX_LENGTH = 20_000;
const MAX_DEPTH = 3;

/** Words of the simple commands of a shell text, quotes taken off. */
function splitCommands(text: string): string[][] {
  const commands: string[][] = [[]];
  for (const [token] of text.matchAll(TOKEN)) {
    const isBlank = token.trim() === '';
    if (/^[;&|(){}]/.test(token) || (isBlank && token.includes('\n'))) commands.push([]);
    else if (!isBlank) commands.at(-1)?.push(unquote(token));
  }
  return commands.filter((words) => words.length > 0);
}

/** A run of blanks, an operator, or a word. */
const TOKEN = /\s+|[;&|(){}]+|(?:\\[\s\S]|'[^']*'?|"(?:\\[\s\S]|[^"\\])*"?|[^\s;&|(){}'"\\])+/g;

function unquote(word: string): string {
  return word.replace(/\\([\s\S])|'([^']*)'?|"((?:\\[\s\S]|[^"\\])*)"?/g, (_all, escaped, single, double) => {
    if (escaped !== undefined) return escaped;
    return single ?? String(double ?? '').replace(/\\([$`"\\])/g, '$1');
  });
}

function skipWrappers(words: readonly string[]): readonly string[] {
  let at = 0;
  const isSkipped = (word: string): boolean =>
    /^[A-Za-z_]\w*=/.test(word) || SHELL_WORDS.has(word) || isLauncherName(word);
  while (at < words.length - 1 && isSkipped(words[at] ?? '')) {
    at += 1;
    while (at < words.length - 1 && /^(?:-|[\d.]+[smhd]?$)/.test(words[at] ?? '')) at += 1;
  }
  return words.slice(at);
}

const SHELL_WORDS: ReadonlySet<string> = new Set([
  'if',
  'then',
  'else',
  'elif',
  'do',
  'while',
  'until',
  '!',
  'exec',
  'command',
  'time',
]);
