import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseInterpreter, resolveExecutable } from '../../../src/platform/posix/executable.ts';

const directory = mkdtempSync(join(tmpdir(), 'agentmux-executable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function put(name: string, contents: string | Buffer, mode = 0o755): string {
  const path = join(directory, name);
  writeFileSync(path, contents);
  chmodSync(path, mode);
  return path;
}

const resolve = (name: string | Buffer, path = directory) => resolveExecutable(Buffer.from(name), Buffer.from(path));

describe('resolveExecutable', () => {
  const tool = put('tool', '#!/bin/sh\n');
  mkdirSync(join(directory, 'folder'));
  mkdirSync(join(directory, 'second'));

  it('finds a name on PATH, and takes a name with a slash as it is', () => {
    expect(resolve('tool').toString()).toBe(tool);
    expect(resolve(tool, '/nonexistent').toString()).toBe(tool);
  });

  it('takes an empty entry of PATH for the current directory, as execvp does', () => {
    expect(() => resolve('tool', '')).toThrow(/not found on PATH/);
    expect(resolve('sh', ':/bin').toString()).toBe('/bin/sh');
  });

  it('goes on behind a file of that name that is not executable', () => {
    put('both', '', 0o644);
    put('second/both', '#!/bin/sh\n');
    expect(resolve('both', `${directory}:${directory}/second`).toString()).toBe(`${directory}/second/both`);
  });

  it('keeps bytes of a path that are no UTF-8', () => {
    const name = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0xff, 0xfe])]);
    writeFileSync(name, '#!/bin/sh\n');
    chmodSync(name, 0o755);
    expect(resolve(name).equals(name)).toBe(true);
    expect(resolveExecutable(Buffer.from([0xff, 0xfe]), Buffer.from(directory)).equals(name)).toBe(true);
  });

  it('accepts a script without a first line of that kind, which execvp hands to sh', () => {
    expect(resolve(put('plain', 'echo hi\n')).toString()).toContain('plain');
  });

  it.each([
    ['an unknown name', () => resolve('no-such-tool'), 127, /command "no-such-tool" was not found on PATH/],
    ['an unknown path', () => resolve('/no/such'), 127, /"\/no\/such" was not found$/],
    ['an empty name', () => resolve(''), 127, /command "" was not found/],
    ['a directory', () => resolve(join(directory, 'folder')), 126, /is a directory/],
    ['a file that is not executable', () => resolve(put('data', 'x', 0o644)), 126, /is not executable/],
    ['a name that is only found not executable', () => resolve('data'), 126, /is not executable/],
    ['a path through a file', () => resolve(`${tool}/x`), 127, /was not found/],
  ])('refuses %s', (_title, action, exitCode, message) => {
    put('data', 'x', 0o644);
    expect(action).toThrow(expect.objectContaining({ exitCode, message: expect.stringMatching(message) }));
  });

  it('names an interpreter that is missing, which the kernel reports as if the script were', () => {
    const script = put('script', '#! /no/such/interp -x\n');
    expect(() => resolve(script)).toThrow(
      expect.objectContaining({ exitCode: 126, message: expect.stringContaining('interpreter "/no/such/interp"') }),
    );
  });

  it('follows links, also broken ones to the right answer', () => {
    symlinkSync(tool, join(directory, 'link'));
    symlinkSync('/no/where', join(directory, 'broken'));
    expect(resolve('link').toString()).toBe(join(directory, 'link'));
    expect(() => resolve('broken')).toThrow(/not found/);
  });
});

describe('parseInterpreter', () => {
  it.each([
    ['#!/bin/sh\n', '/bin/sh'],
    ['#! \t/usr/bin/env node\n', '/usr/bin/env'],
    ['#!/bin/sh', '/bin/sh'],
    ['#!\n', undefined],
    ['#! \n', undefined],
    ['', undefined],
    ['\x7fELF', undefined],
    ['# !/bin/sh', undefined],
  ])('reads %j', (head, expected) => {
    expect(parseInterpreter(Buffer.from(head))?.toString()).toBe(expected);
  });
});
