import { describe, expect, it } from 'vitest';
import { executableName, isShell, processName } from '../../src/filter/shells.ts';

const cases: readonly [string, { exe?: string; argv?: readonly string[]; comm?: string }, string][] = [
  ['the basename of the executable', { exe: '/usr/bin/bash' }, 'bash'],
  ['no part of argv that holds blanks', { exe: '/usr/bin/bash', argv: ['/bin/bash -c npm test'] }, 'bash'],
  ['an executable in a directory with blanks', { exe: '/opt/my tools/node' }, 'node'],
  ['an executable whose name has blanks', { exe: '/opt/my shell bash' }, 'my shell bash'],
  ['a Windows path on any system', { exe: 'C:\\Program Files\\Git\\bin\\bash.exe' }, 'bash'],
  ['an .exe on any system', { exe: '/x/node_modules/@anthropic-ai/claude-code/bin/claude.exe' }, 'claude'],
  ['upper case lowered', { exe: 'C:\\WINDOWS\\System32\\CMD.EXE' }, 'cmd'],
  ['a deleted executable', { exe: '/usr/bin/zsh (deleted)' }, 'zsh'],
  ['a deleted .exe', { exe: '/x/claude.exe (deleted)' }, 'claude'],
  ['busybox by the name it is called', { exe: '/bin/busybox', argv: ['sh', '-c', 'x'] }, 'sh'],
  ['busybox by a path it is called', { exe: '/bin/busybox', argv: ['/bin/sh'] }, 'sh'],
  ['busybox as a login shell', { exe: '/bin/busybox', argv: ['-sh'] }, 'sh'],
  ['toybox by the name it is called', { exe: '/bin/toybox', argv: ['sleep', '9'] }, 'sleep'],
  ['a busybox applet given as the first word', { exe: '/bin/busybox', argv: ['busybox', 'sh', '-c', 'x'] }, 'sh'],
  ['busybox without argv', { exe: '/bin/busybox', argv: [] }, 'busybox'],
  ['argv[0] where the executable is unreadable', { argv: ['/usr/bin/fish', '-l'], comm: 'other' }, 'fish'],
  ['argv[0] of an unreadable login shell', { argv: ['-bash'], comm: 'bash' }, 'bash'],
  ['comm where nothing else is readable', { comm: 'dash' }, 'dash'],
  ['comm where argv is empty', { argv: [], comm: 'ksh' }, 'ksh'],
  ['comm where argv[0] is empty', { argv: [''], comm: 'tcsh' }, 'tcsh'],
  ['nothing if nothing is known', {}, ''],
  ['the executable, whatever comm says', { exe: '/usr/bin/node', comm: 'MainThread' }, 'node'],
];

describe('processName', () => {
  it.each(cases)('is %s', (_title, { exe, argv, comm }, name) => {
    expect(processName({ exe, argv, comm })).toBe(name);
  });

  it('never comes from comm as an executable name', () => {
    expect(executableName({ exe: undefined, argv: undefined, comm: 'claude' })).toBe('');
  });
});

describe('isShell', () => {
  it.each(['bash', 'sh', 'dash', 'zsh', 'fish', 'cmd', 'powershell', 'pwsh', 'nu', 'ksh', 'mksh', 'tcsh', 'csh'])(
    'holds for %s',
    (name) => expect(isShell(name)).toBe(true),
  );

  it.each(['node', 'conhost', 'bashful', 'ssh', 'push', 'agentmux-bashwrap', ''])('does not hold for "%s"', (name) =>
    expect(isShell(name)).toBe(false),
  );
});
