import path from 'node:path';
import { AgentmuxError } from '../errors.ts';

export interface StateDirectoryOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly os: 'linux' | 'darwin' | 'win32' | 'other';
  /** The home directory by the user database; asked only if the environment names none. */
  readonly homedir: () => string | undefined;
}

/**
 * The directory that holds the state files, absolute. No I/O: it need not exist.
 * Relative values of XDG variables are ignored, as the XDG base directory specification demands; a relative
 * AGENTMUX_STATE_DIR would name another place for every process of a block, so it is refused.
 * Throws AgentmuxError: `usage` for a relative AGENTMUX_STATE_DIR, `state-no-home` if no home directory is known.
 */
export function resolveStateDirectory(options: StateDirectoryOptions): string {
  const { os } = options;
  const own = options.env['AGENTMUX_STATE_DIR'];
  if (own !== undefined && own !== '') {
    if (!isFullPath(own, os)) {
      throw new AgentmuxError('usage', `AGENTMUX_STATE_DIR is not an absolute path: "${own}"`, {
        hint: os === 'win32' ? WINDOWS_HINT : 'export AGENTMUX_STATE_DIR="$PWD/state"',
        code: 'state-dir-relative',
      });
    }
    return (os === 'win32' ? path.win32 : path.posix).normalize(own);
  }
  return os === 'win32' ? windowsDirectory(options) : xdgDirectory(options);
}

/**
 * True for a path that names one place from wherever it is looked at. On Windows a drive or a share belongs to it: `\\x` is
 * on the drive where one happens to be, as is `/c/x`, which Git Bash means otherwise and knows as a path of its own alone.
 */
export function isFullPath(value: string, os: StateDirectoryOptions['os']): boolean {
  return os === 'win32' ? /^([A-Za-z]:|[\\/]{2}[^\\/]+)[\\/]/.test(value) : path.posix.isAbsolute(value);
}

const WINDOWS_HINT = 'name the drive, C:\\path; in Git Bash: export AGENTMUX_STATE_DIR="$(cygpath -w "$PWD/state")"';

function xdgDirectory({ env, homedir }: StateDirectoryOptions): string {
  const stateHome = absolute(env['XDG_STATE_HOME'], 'linux');
  if (stateHome !== undefined) return path.posix.join(stateHome, 'agentmux');
  const home = absolute(env['HOME'], 'linux') ?? absolute(homedir(), 'linux');
  if (home === undefined) throw noHome('HOME');
  return path.posix.join(home, '.local', 'state', 'agentmux');
}

function windowsDirectory({ env, homedir }: StateDirectoryOptions): string {
  const local = absolute(env['LOCALAPPDATA'], 'win32');
  if (local !== undefined) return path.win32.join(local, 'agentmux');
  const home = absolute(env['USERPROFILE'], 'win32') ?? absolute(homedir(), 'win32');
  if (home === undefined) throw noHome('LOCALAPPDATA');
  return path.win32.join(home, 'AppData', 'Local', 'agentmux');
}

function absolute(value: string | undefined, os: StateDirectoryOptions['os']): string | undefined {
  return value !== undefined && isFullPath(value, os) ? value : undefined;
}

function noHome(variable: string): AgentmuxError {
  return new AgentmuxError('failed', 'no home directory is known for this user, so there is no place for state files', {
    hint: `set AGENTMUX_STATE_DIR or ${variable}`,
    code: 'state-no-home',
  });
}
