import { LaunchError, RunExitCode } from '../../errors.ts';

/** A batch file and what it is to be called with. */
export interface BatchCall {
  /** Absolute path of the `.cmd` or `.bat` file. */
  readonly file: string;
  /** Its text: what it does with its arguments decides which of them are safe. */
  readonly text: string;
  readonly args: readonly string[];
}

/**
 * The command line by which cmd.exe calls a batch file. cmd.exe parses it before the file is run, and the file's own lines
 * once more with the arguments put in, so what would be read as more than text is refused: LaunchError 126.
 *
 * In quotes `& | < > ( ) ^` are text. A quote is doubled, which leaves cmd.exe where it was and gives the program one. `%`
 * would expand a variable; an empty part of the variable `cd` behind it (`%cd:~,%`, always defined with extensions on,
 * /e:on) takes it its meaning. Delayed expansion (`!`) is off (/v:off) unless the file turns it on.
 */
export function buildBatchCommand({ file, text, args }: BatchCall): string {
  for (const [index, argument] of args.entries()) {
    const reason = findDanger(argument, text);
    if (reason === undefined) continue;
    throw new LaunchError(RunExitCode.notExecutable, `argument ${index + 1} cannot be passed to "${file}": ${reason}`, {
      code: 'unsafe-argument',
      hint: 'start the program that the batch file starts, e.g. node and its script',
    });
  }
  if (/["%\r\n]/.test(file)) {
    throw new LaunchError(
      RunExitCode.notExecutable,
      `"${file}" has a name that cmd.exe would read as more than a name`,
    );
  }
  const words = [`"${file}"`, ...args.map(quoteForBatch)];
  return `cmd.exe /d /e:on /v:off /s /c "${words.join(' ')}"`;
}

/** Why the argument cannot be passed; undefined if it can. */
function findDanger(argument: string, text: string): string | undefined {
  if (/[\r\n\0]/.test(argument)) return 'cmd.exe ends a command at a line break';
  if (/!/.test(argument) && /enabledelayedexpansion/i.test(text)) return 'the file expands "!" (delayed expansion)';
  // `call` has its line parsed a second time: `%` counts again and `^` is doubled.
  if (/[%^]/.test(argument) && /^[^:\n]*\bcall\s+(?!:)/im.test(text))
    return 'the file calls another, where "%" and "^" change';
  return undefined;
}

function quoteForBatch(argument: string): string {
  const isPlain = /^[A-Za-z0-9#$*+\-./:?@\\_]+$/.test(argument) && !argument.endsWith('\\');
  if (isPlain) return argument;
  const escaped = argument
    .replace(/(\\*)"/g, '$1$1""')
    .replace(/\\+$/, '$&$&')
    .replaceAll('%', '%%cd:~,%');
  return `"${escaped}"`;
}
