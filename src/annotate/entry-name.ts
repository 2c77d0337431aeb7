import { isLauncher, isLauncherName } from '../agents/launchers.ts';
import { findScript } from '../agents/script.ts';
import { isShell, type NamedProcess, processName } from '../filter/shells.ts';
import { formatCommand } from './command.ts';
import { displayName } from './display-name.ts';

/** A process of a thing that is to be named. */
export interface NamedMember extends NamedProcess {
  readonly pid: number;
  readonly parentPid: number | undefined;
}

/**
 * What a thing is in few words: its innermost command that is no wrapper (`bash -c`, npm, npx, env, timeout …), with its
 * arguments. Where only wrappers are left it is what the innermost of them was told to run. `members` oldest first.
 */
export function nameMembers(members: readonly NamedMember[]): string | undefined {
  const pids = new Set(members.map(({ pid }) => pid));
  const top = members.find(({ parentPid }) => parentPid === undefined || !pids.has(parentPid));
  const at = top && findInnermost(top, members);
  if (at === undefined) return undefined;
  const script = scriptOf(at);
  return script === undefined ? describeProcess(at) : nameCommand(script);
}

function findInnermost(top: NamedMember, members: readonly NamedMember[]): NamedMember {
  let at = top;
  for (let steps = 0; isLauncher(at) && steps < members.length; steps += 1) {
    const { pid }: NamedMember = at;
    const [only, another] = members.filter((member) => member.parentPid === pid && member.pid !== pid);
    if (only === undefined || another !== undefined) break;
    at = only;
  }
  return at;
}

/** The same of a shell command, as far as its text tells. */
export function nameCommand(command: string): string {
  const plain = squash(command.replace(REDIRECTION, ' '));
  const main = plain.split(/\s*(?:&&|\|\||[;|&])\s*/).findLast((part) => /\S/.test(part) && !SETUP.test(part));
  const words = (main ?? plain.replace(/\s*&$/, '')).split(/\s+/);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (/^[A-Za-z_]\w*=/.test(word) || word.startsWith('-') || /^[\d.]+[smhd]?$/.test(word)) continue;
    if (!isLauncherName(word)) return words.slice(at).join(' ');
    // A package manager's own command says more than what is left of it.
    if (PACKAGE_MANAGERS.has(word) && PACKAGE_COMMANDS.test(words[at + 1] ?? '')) return words.slice(at).join(' ');
  }
  return words.join(' ');
}

/** A command as lists show it: one line, without runs of white space. */
export function squash(command: string): string {
  return command.replace(/\s+/gu, ' ').trim();
}

const REDIRECTION = /&>>?\s*\S+|\d*(?:>>?|<)(?:&\d|\s*[^\s&]\S*)/g;
const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const PACKAGE_COMMANDS = /^(?:run|run-script|start|test|dev|exec|x|install|ci|i)$/;
const SETUP = /^(?:cd|export|source|\.|mkdir|set|echo|sleep|true|wait|disown)(?:\s|$)/;

/** The text that a shell was given to run. */
export function scriptOf(process: NamedProcess): string | undefined {
  if (!isShell(processName(process)) || process.argv === undefined) return undefined;
  const flag = process.argv.findIndex((word, index) => index > 0 && /^-[a-z]*c$/.test(word));
  return flag === -1 ? undefined : process.argv[flag + 1];
}

function describeProcess(process: NamedProcess): string {
  const args = findScript(process)?.args ?? process.argv?.slice(1) ?? [];
  return squash([displayName(process), formatCommand(args)].join(' '));
}
