import { expect, it } from 'vitest';
import { isFullPath, resolveStateDirectory, type StateDirectoryOptions } from '../../src/state/paths.ts';

const noHome = () => undefined;
const passwdHome = () => '/home/passwd';

it.each<[string, StateDirectoryOptions, string]>([
  [
    'AGENTMUX_STATE_DIR goes before all',
    { os: 'linux', env: { AGENTMUX_STATE_DIR: '/s/./x', XDG_STATE_HOME: '/xdg', HOME: '/h' }, homedir: noHome },
    '/s/x',
  ],
  [
    'an empty AGENTMUX_STATE_DIR is none',
    { os: 'linux', env: { AGENTMUX_STATE_DIR: '', XDG_STATE_HOME: '/xdg' }, homedir: noHome },
    '/xdg/agentmux',
  ],
  [
    'a relative XDG_STATE_HOME is ignored',
    { os: 'linux', env: { XDG_STATE_HOME: 'state', HOME: '/h' }, homedir: noHome },
    '/h/.local/state/agentmux',
  ],
  [
    'an empty XDG_STATE_HOME is ignored',
    { os: 'darwin', env: { XDG_STATE_HOME: '', HOME: '/h' }, homedir: noHome },
    '/h/.local/state/agentmux',
  ],
  [
    'without HOME the user database tells',
    { os: 'linux', env: {}, homedir: passwdHome },
    '/home/passwd/.local/state/agentmux',
  ],
  [
    'a relative HOME is none',
    { os: 'linux', env: { HOME: '.' }, homedir: passwdHome },
    '/home/passwd/.local/state/agentmux',
  ],
  [
    'on Windows LOCALAPPDATA',
    { os: 'win32', env: { LOCALAPPDATA: 'C:\\U\\a\\AppData\\Local', HOME: '/h' }, homedir: noHome },
    'C:\\U\\a\\AppData\\Local\\agentmux',
  ],
  [
    'on Windows without it the profile',
    { os: 'win32', env: { USERPROFILE: 'C:\\U\\a' }, homedir: noHome },
    'C:\\U\\a\\AppData\\Local\\agentmux',
  ],
])('%s', (_title, options, expected) => {
  expect(resolveStateDirectory(options)).toBe(expected);
});

it('refuses a relative AGENTMUX_STATE_DIR, which would be another place for every process', () => {
  const resolve = () => resolveStateDirectory({ os: 'linux', env: { AGENTMUX_STATE_DIR: 'x' }, homedir: noHome });
  expect(resolve).toThrow(
    expect.objectContaining({ kind: 'usage', message: 'AGENTMUX_STATE_DIR is not an absolute path: "x"' }),
  );
});

it.each(['linux', 'win32'] as const)('says on %s that no home is known, rather than use the root directory', (os) => {
  expect(() => resolveStateDirectory({ os, env: {}, homedir: noHome })).toThrow(/no home directory is known/);
});

it.each(['C:\\x', 'd:/x', '\\\\server\\share\\x', '\\\\?\\C:\\x'])('takes %j for a full path of Windows', (value) => {
  expect(isFullPath(value, 'win32')).toBe(true);
});

it.each(['/c/Users/a', '\\x', 'C:x', 'x', '', '//', '\\\\'])(
  'takes %j for none: it depends on where one is',
  (value) => {
    expect(isFullPath(value, 'win32')).toBe(false);
    const env = { AGENTMUX_STATE_DIR: value || 'x', LOCALAPPDATA: value };
    expect(() => resolveStateDirectory({ os: 'win32', env, homedir: noHome })).toThrow(
      expect.objectContaining({ code: 'state-dir-relative', hint: expect.stringContaining('cygpath -w') }),
    );
    expect(() => resolveStateDirectory({ os: 'win32', env: { LOCALAPPDATA: value }, homedir: noHome })).toThrow(
      expect.objectContaining({ code: 'state-no-home' }),
    );
  },
);
