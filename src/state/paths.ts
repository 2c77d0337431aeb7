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
  const paths = options.os === 'win32' ? path.win32 : path.posix;
  const own = options.env['AGENTMUX_STATE_DIR'];
  if (own !== undefined && own !== '') {
    if (!paths.isAbsolute(own)) {
      throw new AgentmuxError('usage', `AGENTMUX_STATE_DIR is not an absolute path: "${own}"`, {
        hint: 'export AGENTMUX_STATE_DIR="$PWD/state"',
        code: 'state-dir-relative',
      });
    }
    return paths.normalize(own);
  }
  return options.os === 'win32' ? windowsDirectory(options) : xdgDirectory(options);
}

function xdgDirectory({ env, homedir }: StateDirectoryOptions): string {
  const stateHome = absolute(env['XDG_STATE_HOME'], path.posix);
  if (stateHome !== undefined) return path.posix.join(stateHome, 'agentmux');
  const home = absolute(env['HOME'], path.posix) ?? absolute(homedir(), path.posix);
  if (home === undefined) throw noHome('HOME');
  return path.posix.join(home, '.local', 'state', 'agentmux');
}

function windowsDirectory({ env, homedir }: StateDirectoryOptions): string {
  const local = absolute(env['LOCALAPPDATA'], path.win32);
  if (local !== undefined) return path.win32.join(local, 'agentmux');
  const home = absolute(env['USERPROFILE'], path.win32) ?? absolute(homedir(), path.win32);
  if (home === undefined) throw noHome('LOCALAPPDATA');
  return path.win32.join(home, 'AppData', 'Local', 'agentmux');
}

function absolute(value: string | undefined, paths: path.PlatformPath): string | undefined {
  return value !== undefined && paths.isAbsolute(value) ? value : undefined;
}

function noHome(variable: string): AgentmuxError {
  return new AgentmuxError('failed', 'no home directory is known for this user, so there is no place for state files', {
    hint: `set AGENTMUX_STATE_DIR or ${variable}`,
    code: 'state-no-home',
  });
}
