import { calledName } from '../filter/shells.ts';
import { isLauncherName } from './launchers.ts';
import type { AgentProfile } from './profile.ts';
import { findProfileByName } from './profiles.ts';
import { profileForPackage, recogniseAgent } from './recognise.ts';

/**
 * The profile of a command that is about to be run, by its words: `claude -p x`, `npx -y @openai/codex@latest`,
 * `env A=1 timeout 60 gemini`, `node …/node_modules/@qwen-code/qwen-code/cli.js`; on Windows `claude.cmd` too. Undefined
 * if it names none.
 */
export function profileForCommand(argv: readonly string[]): AgentProfile | undefined {
  if (argv[0] === undefined) {
    return undefined;
  }
  const first = withoutShimEnding(argv[0]);
  const known = findProfileByName(calledName(first)) ?? recogniseAgent({ exe: first, argv, comm: undefined });
  return known ?? (isLauncherName(first) ? findBehindLauncher(argv.slice(1)) : undefined);
}

/** Of the scripts that package managers put on PATH for a program. */
function withoutShimEnding(name: string): string {
  return name.replace(/\.(?:cmd|bat|ps1)$/i, '');
}

/** The first word that can be the launched command decides; what can be an option's value is only looked at. */
function findBehindLauncher(words: readonly string[]): AgentProfile | undefined {
  let afterOption = false;
  for (const [index, word] of words.entries()) {
    const profile = profileForWord(word, words.slice(index));
    if (profile !== undefined) {
      return profile;
    }
    const isOption = word.startsWith('-');
    if (!isOption && !afterOption && !isPassedOver(word)) {
      return undefined;
    }
    afterOption = isOption && word !== '--' && !word.includes('=');
  }
  return undefined;
}

function profileForWord(word: string, rest: readonly string[]): AgentProfile | undefined {
  const packaged = word.match(/^(?:-p|--package)=(.+)$/)?.[1] ?? word;
  return (
    findProfileByName(calledName(packaged.replace(/(?<=.)@[^@/]*$/, ''))) ??
    profileForPackage(packaged) ??
    recogniseAgent({ exe: word, argv: rest, comm: undefined })
  );
}

/** Words that launchers take before the command: subcommands, durations, assignments, tools with a version, launchers. */
function isPassedOver(word: string): boolean {
  return SUBCOMMANDS.has(word) || /^\d|^[A-Za-z_]\w*=|@[\d.]+$|@latest$/.test(word) || isLauncherName(word);
}

const SUBCOMMANDS: ReadonlySet<string> = new Set(['exec', 'x', 'dlx', 'run', 'tool', 'develop', 'shell']);
