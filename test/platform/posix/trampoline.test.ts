import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { buildTrampoline, isLossless } from '../../../src/platform/posix/trampoline.ts';
import { itIf } from '../../helpers/skip.ts';

const directory = mkdtempSync(join(tmpdir(), 'agentmux-trampoline-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Shells of this machine that may stand behind `sh`, each called by that name. */
const shells = ['/bin/sh', '/bin/bash', '/bin/busybox']
  .filter((path) => existsSync(path))
  .map((path) => linkAsSh(path));

function linkAsSh(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const link = join(directory, name);
  if (!existsSync(link)) {
    mkdirSync(link);
    symlinkSync(path, join(link, 'sh'));
  }
  return join(link, 'sh');
}

/** Starts a program that shows what the kernel gave it; `argv` follows as its data. */
function passThrough(argv: readonly Buffer[], environment: readonly Buffer[], sh: string, env: string | undefined) {
  const probe = [...[process.execPath, '-e', script, '--'].map((word) => Buffer.from(word)), ...argv];
  const trampoline = buildTrampoline({ argv: probe, environment, sh, env, nohup: false, openFiles: undefined });
  const result = spawnSync(trampoline.file, trampoline.args, { env: trampoline.env, encoding: 'buffer' });
  expect(result.stderr.toString()).toBe('');
  expect(result.status).toBe(0);
  const [argvHex = '', environHex = ''] = result.stdout.toString().split('\n');
  return { argv: split(argvHex).slice(4), environment: split(environHex) };
}

const script = `const fs = require('fs');
for (const name of ['cmdline', 'environ']) process.stdout.write(fs.readFileSync('/proc/self/' + name).toString('hex') + '\\n');`;

function split(hex: string): Buffer[] {
  const bytes = Buffer.from(hex, 'hex');
  const parts: Buffer[] = [];
  let from = 0;
  while (from < bytes.length) {
    const end = bytes.indexOf(0, from);
    parts.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return parts;
}

const sorted = (entries: readonly Buffer[]): string[] => entries.map((entry) => entry.toString('latin1')).sort();
const env = existsSync('/usr/bin/env') ? '/usr/bin/env' : undefined;

describe.each(shells)('a start through %s', (sh) => {
  it('keeps every byte of arguments that are no UTF-8, newlines at the end included', () => {
    const argv = ['', 'a b', 'it\'s "$HOME" `id` $(id)', '-n', '--', '*', 'x\n\n', '%s\\n']
      .map((word) => Buffer.from(word))
      .concat([
        Buffer.from([0xff, 0xfe, 0x0a, 0x0a]),
        Buffer.from([0x81]),
        Buffer.from('caf\xe9 %d \\ \n', 'latin1'),
        Buffer.from('grün 🙂'),
      ]);
    const seen = passThrough(argv, [Buffer.from('PATH=/usr/bin:/bin')], sh, env);
    expect(sorted(seen.argv)).toEqual(sorted(argv));
  });

  it('keeps a long argument that is no UTF-8, up to the longest that the kernel takes', () => {
    const longest = Buffer.alloc(131_071, Buffer.from([0xff, 0x61, 0x80, 0x0a]));
    expect(passThrough([longest, Buffer.from('end')], [], sh, env).argv).toEqual([longest, Buffer.from('end')]);
  });

  it('keeps variables that a shell drops, resets, adds or acts on', () => {
    const environment = [
      'PATH=/usr/bin:/bin',
      'bad.name=1',
      'npm_config_foo-bar=2',
      'BASH_FUNC_printf%%=() { :; }',
      '1abc=3',
      'IFS=x',
      'OPTIND=7',
      'PPID=5',
      'PS1=p',
      '_=under',
      'PWD=/nowhere',
      'OLDPWD=/old',
      'SHLVL=9',
      'ENV=/nonexistent/rc',
      'SHELLOPTS=xtrace',
      'LINES=3',
      'COLUMNS=4',
      'EMPTY=',
      'NL=a\n\n',
      'w=taken',
      'ww0=taken too',
      'UID=12',
    ]
      .map((entry) => Buffer.from(entry))
      .concat([Buffer.from('RAW=\xff\xfe\n', 'latin1'), Buffer.from('N\xffM=v', 'latin1')]);
    const seen = passThrough([Buffer.from('\xff', 'latin1')], environment, sh, env);
    expect(sorted(seen.environment)).toEqual(sorted(environment));
  });

  it('adds nothing to an environment without PWD', () => {
    const environment = [Buffer.from('PATH=/usr/bin:/bin')];
    expect(sorted(passThrough([], environment, sh, env).environment)).toEqual(sorted(environment));
  });

  it('keeps arbitrary bytes in arguments and values', () => {
    const bytes = fc
      .uint8Array({ minLength: 0, maxLength: 12 })
      .map((values) => Buffer.from(values.map((value) => value || 1)));
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 4 }), bytes, (argv, value) => {
        const environment = [Buffer.from('PATH=/usr/bin:/bin'), Buffer.concat([Buffer.from('V='), value])];
        const seen = passThrough(argv, environment, sh, env);
        expect(sorted(seen.argv)).toEqual(sorted(argv));
        expect(sorted(seen.environment)).toEqual(sorted(environment));
      }),
      { numRuns: 15 },
    );
  });

  it('starts the command with SIGHUP ignored and the soft limit that was asked for', () => {
    const argv = ['/bin/cat', '/proc/self/status', '/proc/self/limits'].map((word) => Buffer.from(word));
    const environment = [Buffer.from('PATH=/usr/bin:/bin')];
    const { file, args, env: variables } = buildTrampoline({ argv, environment, sh, env, nohup: true, openFiles: 200 });
    const { stdout } = spawnSync(file, args, { env: variables, encoding: 'utf8' });
    expect(stdout).toMatch(/^SigIgn:\s+[0-9a-f]*[13579bdf]$/m);
    expect(stdout).toMatch(/^Max open files +200 /m);
  });
});

describe('buildTrampoline', () => {
  const hasNice = spawnSync('nice', ['true']).status === 0;
  itIf(hasNice, 'needs nice', 'passes a command with an equals sign on, which env takes for a variable', () => {
    const command = join(directory, 'a=b');
    writeFileSync(command, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const {
      file,
      args,
      env: variables,
    } = buildTrampoline({
      argv: [Buffer.from(command)],
      environment: ['PATH=/usr/bin:/bin', 'bad.name=1'].map((entry) => Buffer.from(entry)),
      sh: '/bin/sh',
      env,
      nohup: false,
      openFiles: undefined,
    });
    expect(spawnSync(file, args, { env: variables }).status).toBe(0);
  });

  it('shows no value of an ordinary variable in its arguments, where everybody could read it', () => {
    const { args } = buildTrampoline({
      argv: [Buffer.from('/bin/true')],
      environment: ['API_TOKEN=secret', 'PWD=/x'].map((entry) => Buffer.from(entry)),
      sh: '/bin/sh',
      env,
      nohup: true,
      openFiles: undefined,
    });
    expect(args.join(' ')).not.toContain('secret');
  });
});

describe('isLossless', () => {
  it.each([
    ['plain text', Buffer.from('abc'), true],
    ['UTF-8', Buffer.from('grün 🙂'), true],
    ['a byte order mark', Buffer.from([0xef, 0xbb, 0xbf, 0x61]), true],
    ['a lone continuation byte', Buffer.from([0x80]), false],
    ['an encoded surrogate', Buffer.from([0xed, 0xa0, 0x80]), false],
    ['an overlong form', Buffer.from([0xc0, 0xaf]), false],
  ])('tells whether %s survives decoding', (_title, bytes, expected) => {
    expect(isLossless(bytes)).toBe(expected);
  });
});
