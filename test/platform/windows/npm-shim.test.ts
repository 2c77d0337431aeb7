import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseCmdShim, parsePs1Shim, parseScoopShim } from '../../../src/platform/windows/npm-shim.ts';

const read = (name: string) => readFileSync(new URL(`../../fixtures/shims/${name}`, import.meta.url), 'utf8');
const bin = 'C:\\Users\\A B\\npm\\';
const noVariable = () => undefined;
const parse = (name: string, env: (name: string) => string | undefined = noVariable) =>
  parseCmdShim(`${bin}x.cmd`, read(name), env);

describe('parseCmdShim', () => {
  it.each(['cmd-shim-2', 'cmd-shim-3', 'cmd-shim-4', 'cmd-shim-7', 'zkochan-5', 'zkochan-6'])(
    'reads what %s writes for a script of node and for a program',
    (generator) => {
      expect(parse(`${generator}-cli.cmd`)).toMatchObject({
        programs: [`${bin}node.exe`, 'node'],
        before: ['C:\\Users\\pkg\\cli.js'],
      });
      expect(parse(`${generator}-claude.cmd`)).toEqual({
        programs: ['C:\\Users\\pkg\\claude.exe'],
        before: [],
        env: {},
      });
    },
  );

  it.each(['cmd-shim-7', 'zkochan-5', 'zkochan-6'])('keeps the flags that %s took from the script', (generator) => {
    expect(parse(`${generator}-flag.cmd`)).toMatchObject({
      programs: [`${bin}node.exe`, 'node'],
      before: ['--no-warnings', 'C:\\Users\\pkg\\flag.js'],
    });
  });

  it('sets the variable that pnpm sets, before or behind what it was', () => {
    const set = (name: string) => (name === 'NODE_PATH' ? 'D:\\m$&' : undefined);
    expect(parse('zkochan-5-cli.cmd')?.env).toEqual({ NODE_PATH: '\\x\\node_modules' });
    expect(parse('zkochan-5-cli.cmd', set)?.env).toEqual({ NODE_PATH: 'D:\\m$&;\\x\\node_modules' });
    expect(parse('zkochan-6-cli.cmd')?.env).toEqual({ NODE_PATH: '\\x\\node_modules' });
    expect(parse('zkochan-6-cli.cmd', set)?.env).toEqual({ NODE_PATH: '\\x\\node_modules;D:\\m$&' });
  });

  it.each([
    ['a file that does more', `${read('cmd-shim-7-cli.cmd')}\r\ndel /q C:\\x`],
    ['two different calls', '@"%~dp0\\a.exe" 1 %*\r\n@"%~dp0\\a.exe" 2 %*'],
    ['a call with a word of its own behind the arguments', '@"%~dp0\\a.exe" %* --more'],
    ['a call by way of another program', '@start "" "%~dp0\\a.exe" %* & exit'],
    ['a redirection', '@"%~dp0\\a.exe" >log %*'],
    ['a variable in the path', '@"%ProgramFiles%\\a.exe" %*'],
    ['another PATH', '@SET PATH=C:\\x;%PATH%\r\n@"%~dp0\\a.exe" %*'],
    ['nothing', ''],
    ['volta', '@echo off\r\nvolta run %~n0 %*'],
  ])('takes no shim for %s', (_, text) => {
    expect(parseCmdShim(`${bin}x.cmd`, text, noVariable)).toBeUndefined();
  });
});

describe('parsePs1Shim', () => {
  it('reads the scripts of npm', () => {
    expect(parsePs1Shim(`${bin}x.ps1`, read('cmd-shim-7-cli.ps1'))).toEqual({
      programs: [`${bin}node.exe`, 'node'],
      before: ['C:\\Users\\pkg\\cli.js'],
      env: {},
    });
    expect(parsePs1Shim(`${bin}x.ps1`, read('cmd-shim-7-claude.ps1'))).toEqual({
      programs: ['C:\\Users\\pkg\\claude.exe'],
      before: [],
      env: {},
    });
  });

  it('takes no shim for one that sets variables, or any other script', () => {
    expect(parsePs1Shim(`${bin}x.ps1`, read('zkochan-6-cli.ps1'))).toBeUndefined();
    expect(parsePs1Shim(`${bin}x.ps1`, 'Write-Host hi')).toBeUndefined();
    expect(parsePs1Shim(`${bin}x.ps1`, '& "$HOME/a.exe" $args')).toBeUndefined();
  });
});

describe('parseScoopShim', () => {
  it('reads the path and the arguments', () => {
    expect(parseScoopShim('path = "C:\\scoop\\apps\\x\\x.exe"\r\nargs = --a "b c"\r\n')).toEqual({
      program: 'C:\\scoop\\apps\\x\\x.exe',
      args: '--a "b c"',
    });
    expect(parseScoopShim('path = C:\\x y.exe')).toEqual({ program: 'C:\\x y.exe', args: undefined });
    expect(parseScoopShim('nothing')).toBeUndefined();
  });
});
