import { calledName } from '../filter/shells.ts';
import { profileForCommand } from './command.ts';

/**
 * The index of the first word that claude itself gets; undefined if it cannot be told for sure. A launcher hands on what
 * follows the command's name, so the name must be where no option of a launcher can take it.
 */
export function findClaude(argv: readonly string[]): number | undefined {
  const first = argv[0] ?? '';
  if (isClaudeName(first)) return 1;
  const isPassing = PASSING_LAUNCHERS.has(calledName(first));
  for (let index = 1; index < argv.length; index += 1) {
    const [before = '', word = ''] = argv.slice(index - 1, index + 1);
    if (before !== '--' && TAKES_COMMAND.test(word)) return undefined;
    if (!isClaudeName(word)) continue;
    const isCommand = before === '--' || (isPassing && (!before.startsWith('-') || SWITCHES.has(before)));
    return isCommand ? index + 1 : undefined;
  }
  return undefined;
}

/** A name, a path, a package, or the script of one. */
function isClaudeName(word: string): boolean {
  return [[word], ['npx', word], ['node', word]].some((argv) => profileForCommand(argv)?.id === 'claude');
}

/** Launchers that hand on every word behind the command's name as it is; others do behind `--`. */
const PASSING_LAUNCHERS: ReadonlySet<string> = new Set([
  ...['env', 'nice', 'ionice', 'nohup', 'setsid', 'stdbuf', 'timeout', 'npx', 'bunx', 'pnpx', 'node', 'bun'],
]);

/** Options of launchers without a value. */
const SWITCHES: ReadonlySet<string> = new Set(['-y', '--yes', '-q', '--quiet', '-i', '-w', '--foreground']);

/** Options of launchers that name a package or take a whole command. */
const TAKES_COMMAND = /^(-p|-c|-S|--package|--call|--split-string)\b/;
