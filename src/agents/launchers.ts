import { baseName, executableName, isShell, type NamedProcess } from '../filter/shells.ts';
import { findScript } from './script.ts';

/**
 * Programs that start another program in their place or as their child and are nothing else, so that the agent may be
 * below them. Most exec and are never seen; those that fork (timeout, npx, sudo …) stay above the agent.
 */
const PROGRAMS: ReadonlySet<string> = new Set([
  ...['env', 'timeout', 'nice', 'ionice', 'nohup', 'setsid', 'stdbuf', 'time', 'chrt', 'taskset', 'prlimit', 'setpriv'],
  ...['sudo', 'doas', 'runuser', 'su', 'unshare', 'dbus-run-session', 'systemd-inhibit', 'caffeinate', 'script'],
  ...['mise', 'asdf', 'volta', 'volta-shim', 'proto', 'proto-shim', 'fnm', 'nodenv', 'direnv', 'devbox', 'nix', 'op'],
  ...['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'yarnpkg', 'bunx', 'corepack', 'uv', 'uvx', 'pipx', 'agentmux-run'],
]);

/** Scripts of launchers, without their extension. */
const SCRIPTS: ReadonlySet<string> = new Set([
  ...['npx', 'npx-cli', 'npm', 'npm-cli', 'pnpm', 'pnpx', 'yarn', 'yarnpkg', 'corepack', 'bunx', 'pipx'],
  ...['agentmux-run'],
]);

/** True if the process is there only to start another one: a shell, a version manager, a package runner, `timeout` … */
export function isLauncher(process: NamedProcess): boolean {
  const name = executableName(process);
  if (isShell(name) || PROGRAMS.has(name)) {
    return true;
  }
  if (name === 'bun') {
    return process.argv?.[1] === 'x' || baseName(process.argv?.[0] ?? '') === 'bunx';
  }
  return isPackageManagerTitle(process.argv) || isLauncherScript(process);
}

/** npm and its kin write their title over argv: one word `npm exec @openai/codex`. */
export function isPackageManagerTitle(argv: readonly string[] | undefined): boolean {
  return /^(npm|npx|pnpm|pnpx|yarn|bunx)(?: |$)/.test(argv?.[0] ?? '');
}

/** True if that word of a command line names a launcher. */
export function isLauncherName(word: string): boolean {
  return PROGRAMS.has(baseName(word)) || baseName(word) === 'bun';
}

function isLauncherScript(process: NamedProcess): boolean {
  const script = findScript(process);
  if (script === undefined) {
    return false;
  }
  const name = scriptName(script.path);
  return SCRIPTS.has(name) || (name === 'agentmux' && script.args[0] === 'run');
}

/** Basename of a script without the extensions that script files have. */
export function scriptName(path: string): string {
  return baseName(path).replace(/\.(?:[cm]?[jt]s|py)$/, '');
}
