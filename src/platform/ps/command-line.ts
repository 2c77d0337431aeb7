import { calledName, isShell } from '../../filter/shells.ts';
import { GuessedArgv } from '../../model/process.ts';
import { parseStart } from './parse-time.ts';

/** The command of a process as one text. */
export interface PsCommand {
  readonly pid: number;
  readonly startSeconds: number;
  /** Words joined by blanks, and the environment behind them where it was asked for. Not decoded. */
  readonly text: string;
}

/** The arguments that make `ps` print lines that parseCommands reads. */
export const commandArguments: readonly string[] = ['-o', 'pid=', '-o', 'lstart=', '-o', 'command='];

/** Parses commands; a line that is none is left out, and so is the second of two lines with the same pid. */
export function parseCommands(text: string): Map<number, PsCommand> {
  const commands = new Map<number, PsCommand>();
  for (const line of text.split('\n')) {
    const match = /^ *(\d{1,15}) +([A-Z][a-z]{2} +[A-Z][a-z]{2} +\d{1,2} \d{2}:\d{2}:\d{2} \d{4}) *(?: (.*))?$/s.exec(
      line,
    );
    const [pid, startSeconds] = [Number(match?.[1]), parseStart(match?.[2] ?? '')];
    if (match === null || startSeconds === undefined || commands.has(pid)) continue;
    commands.set(pid, { pid, startSeconds, text: match[3] ?? '' });
  }
  return commands;
}

/**
 * True if the text is no command but what stands for one that cannot be read: `(name)` on macOS, `[name]` on Linux and
 * the BSDs, `<defunct>` and `<exiting>` for what has ended or is about to.
 */
export function isPlaceholder(text: string): boolean {
  return text === '' || /^\(.*\)$|^\[.*\](?: <defunct>)?$|^<(?:defunct|exiting)>$/s.test(text);
}

/**
 * A guess at the words of a command, good for telling programs: at every blank, but that `name` is the first word where
 * the text begins with it, and that what follows a shell's `-c` is one word, as it nearly always is.
 */
export function guessWords(text: string, name: string | undefined): GuessedArgv {
  const first =
    name !== undefined && `${text} `.startsWith(`${name} `) ? name : text.slice(0, indexOrEnd(text, ' ', 0));
  const words = new GuessedArgv();
  words.push(first);
  const takesScript = isShell(calledName(first));
  let from = first.length + 1;
  while (from < text.length) {
    const before = words.at(-1) ?? '';
    const isScript = takesScript && words.length > 1 && /^-[A-Za-z]*c$/.test(before);
    const end = isScript ? text.length : indexOrEnd(text, ' ', from);
    if (end > from) words.push(text.slice(from, end));
    from = end + 1;
  }
  return words;
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index === -1 ? text.length : index;
}
