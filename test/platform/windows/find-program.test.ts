import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findWindowsProgram } from '../../../src/platform/windows/find-program.ts';
import type { ProgramFiles } from '../../../src/platform/windows/locate-program.ts';

const shim = (name: string) => readFileSync(new URL(`../../fixtures/shims/${name}`, import.meta.url), 'utf8');

/** A file system of texts; names are the same in any case, and a path that ends with a backslash is a directory. */
function filesOf(texts: Readonly<Record<string, string>>): ProgramFiles {
  const byName = new Map(Object.entries(texts).map(([name, text]) => [name.toLowerCase(), text]));
  return {
    kindOf: (file) =>
      byName.has(file.toLowerCase()) ? 'file' : byName.has(`${file.toLowerCase()}\\`) ? 'directory' : undefined,
    readText: (file) => byName.get(file.toLowerCase()),
    readHead: (file) => Buffer.from(byName.get(file.toLowerCase()) ?? ''),
  };
}

const npm = 'C:\\Users\\me\\AppData\\Roaming\\npm';
const world = filesOf({
  'C:\\Windows\\System32\\cmd.exe': 'MZ',
  'C:\\Program Files\\nodejs\\node.exe': 'MZ',
  'C:\\Program Files\\nodejs\\npx.cmd': shim('node-npx.cmd'),
  'C:\\Program Files\\nodejs\\npm.cmd': shim('node-npm.cmd'),
  'C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npx-cli.js': '',
  'C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js': '',
  [`${npm}\\claude`]: '#!/bin/sh\n',
  [`${npm}\\claude.cmd`]: shim('cmd-shim-7-cli.cmd').replaceAll('..\\..\\pkg', 'node_modules\\claude'),
  [`${npm}\\claude.ps1`]: '',
  [`${npm}\\codex.cmd`]: shim('cmd-shim-7-claude.cmd').replaceAll('..\\..\\pkg\\claude.exe', 'codex\\codex.exe'),
  [`${npm}\\codex\\codex.exe`]: 'MZ',
  [`${npm}\\again.cmd`]: '@"%~dp0\\claude.cmd"   %*',
  [`${npm}\\circle.cmd`]: '@"%~dp0\\circle.cmd" %*',
  [`${npm}\\only.ps1`]: shim('cmd-shim-7-cli.ps1'),
  [`${npm}\\script.ps1`]: 'Write-Host hi',
  'C:\\tools; odd\\own.bat': '@echo off\r\necho %1\r\n',
  'C:\\tools; odd\\python3.11.exe': 'MZ',
  'C:\\tools; odd\\folder\\': '',
  'C:\\scoop\\shims\\rg.exe': 'MZ',
  'C:\\scoop\\shims\\rg.shim': 'path = "C:\\scoop\\apps\\rg\\rg.exe"\r\nargs = --color never\r\n',
  'C:\\scoop\\apps\\rg\\rg.exe': 'MZ',
  'C:\\here\\evil.exe': 'MZ',
  'C:\\here\\bin\\tool.exe': 'MZ',
  'C:\\here\\run.sh': '#!/usr/bin/env bash\necho',
  'C:\\here\\cli.js': '#!/usr/bin/env node\n',
  'C:\\here\\text.txt': 'text',
  'C:\\here\\image.bin': 'MZ',
});
const variables: Readonly<Record<string, string>> = {
  PATH: `C:\\Windows\\System32;"C:\\tools; odd";;${npm};C:\\Program Files\\nodejs\\;C:\\scoop\\shims`,
  PATHEXT: '.COM;.EXE;.BAT;.CMD;.VBS;.JS;.MSC',
  APPDATA: 'C:\\Users\\me\\AppData\\Roaming',
  USERPROFILE: 'C:\\Users\\me',
};
const find = (name: string, env: Readonly<Record<string, string>> = variables) =>
  findWindowsProgram({ name, env: (one) => env[one.toUpperCase()], cwd: 'C:\\here', files: world });
const node = 'C:\\Program Files\\nodejs\\node.exe';

describe('findWindowsProgram', () => {
  it.each([
    ['a name, by PATH and PATHEXT', 'cmd', 'C:\\Windows\\System32\\cmd.exe'],
    ['a name with its extension', 'CMD.EXE', 'C:\\Windows\\System32\\CMD.EXE'],
    ['a name with a dot in it', 'python3.11', 'C:\\tools; odd\\python3.11.exe'],
    ['a path from here', 'bin/tool', 'C:\\here\\bin\\tool.exe'],
    ['a path of a whole name', '.\\bin\\tool.exe', 'C:\\here\\bin\\tool.exe'],
    ['a program with an extension of its own', './image.bin', 'C:\\here\\image.bin'],
    ['a path as Git Bash writes it', '/c/here/bin/tool', 'C:\\here\\bin\\tool.exe'],
  ])('finds %s', (_, name, file) => {
    expect(find(name)).toMatchObject({ file, kind: 'program', before: [] });
  });

  it('tells how a path of Git Bash was read', () => {
    expect(find('/c/here/bin/tool').notes).toEqual(['"/c/here/bin/tool" is read as C:\\here\\bin\\tool']);
  });

  it('takes the script of npm for what it starts, never the one for other shells beside it', () => {
    expect(find('claude')).toMatchObject({
      file: node,
      kind: 'program',
      before: [`${npm}\\node_modules\\claude\\cli.js`],
      notes: [`${npm}\\claude.cmd starts ${node} ${npm}\\node_modules\\claude\\cli.js`],
    });
    expect(find('codex')).toMatchObject({ file: `${npm}\\codex\\codex.exe`, before: [] });
    expect(find('again')).toMatchObject({ file: node, before: [`${npm}\\node_modules\\claude\\cli.js`] });
    expect(find('only')).toMatchObject({ file: node, before: ['C:\\Users\\me\\AppData\\pkg\\cli.js'] });
  });

  it('looks through npx as it comes with node, with an npm that was updated first', () => {
    const script = 'node_modules\\npm\\bin\\npx-cli.js';
    expect(find('npx')).toMatchObject({ file: node, before: [`C:\\Program Files\\nodejs\\${script}`] });
    expect(find('npm')).toMatchObject({ file: node, before: [expect.stringMatching(/npm-cli\.js$/)] });
    expect(find('npx', { ...variables, NPM_CONFIG_PREFIX: 'D:\\n' })).toMatchObject({ kind: 'batch' });
  });

  it('looks through a shim of scoop', () => {
    expect(find('rg')).toMatchObject({ file: 'C:\\scoop\\apps\\rg\\rg.exe', before: ['--color', 'never'] });
  });

  it('leaves other batch files to cmd.exe, and shims that go in a circle', () => {
    expect(find('own')).toMatchObject({ file: 'C:\\tools; odd\\own.bat', kind: 'batch', before: [] });
    expect(find('circle')).toMatchObject({ file: `${npm}\\circle.cmd`, kind: 'batch' });
  });

  it.each([
    ['nothing of that name', 'nope', 127, /"nope" was not found on PATH/],
    ['a program of the working directory that was not named as such', 'evil', 127, /not found on PATH/],
    ['a path that is not there', '.\\nope', 127, /"\.\\nope" was not found$/],
    ['an empty name', '', 127, /not found/],
    ['a path of Git Bash that only it knows', '/usr/bin/vim', 127, /no path of Windows/],
    ['a directory', 'folder', 126, /is a directory/],
    ['a script for other systems', './run.sh', 126, /script for other systems/],
    ['a text', './text.txt', 126, /is no program/],
    ['a script of PowerShell', 'script', 126, /script of PowerShell/],
  ])('refuses %s', (_, name, exitCode, message) => {
    expect(() => find(name)).toThrow(message);
    expect(() => find(name)).toThrow(expect.objectContaining({ exitCode }));
  });

  it('says what runs a script', () => {
    expect(() => find('./run.sh')).toThrow(expect.objectContaining({ hint: 'agentmux-run bash "C:\\here\\run.sh"' }));
    expect(() => find('./cli.js')).toThrow(expect.objectContaining({ hint: 'agentmux-run node "C:\\here\\cli.js"' }));
  });

  it('says which program of a shim is missing', () => {
    expect(() => find('claude', { ...variables, PATH: npm })).toThrow(
      /claude\.cmd" starts "node", which was not found/,
    );
  });

  it('has a list of extensions where there is no PATHEXT', () => {
    expect(find('cmd', { PATH: variables['PATH'] ?? '' }).file).toBe('C:\\Windows\\System32\\cmd.exe');
  });
});
