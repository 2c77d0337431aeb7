import { randomBytes } from 'node:crypto';
import { closeSync, copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anything } from '../helpers/cli-call.ts';
import { seededRandom } from '../helpers/random.ts';
import { capMs, createAgent } from './helpers/agent.ts';
import { createRig, outcome, type Rig } from './helpers/rig.ts';
import { randomVectors } from './helpers/vectors.ts';

interface Told {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const tell = resolve('test/windows/fixtures/tell.cjs');

/** Runs a program in a block and gives what it told. */
async function askAgent(rig: Rig, ...words: string[]): Promise<Told> {
  const { stdout, stderr, status } = await outcome(rig.run('--', ...words));
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return JSON.parse(stdout) as Told;
}

describe('what agentmux-run hands to its command', () => {
  it('are the arguments as they are: 1,000 random vectors, many to a start', async () => {
    const rig = createRig();
    const vectors = randomVectors(1000, seededRandom(20_261_130));
    const perStart = 100;
    for (let first = 0; first < vectors.length; first += perStart) {
      const args = vectors.slice(first, first + perStart).flatMap((vector) => ['--', ...vector]);
      expect((await askAgent(rig, process.execPath, tell, ...args)).args).toEqual(args);
    }
  });

  it('are the working directory and the environment, to which only names of its own are added', async () => {
    const rig = createRig();
    const name = 'a b ü 語';
    const cwd = join(rig.workDirectory, name);
    mkdirSync(cwd);
    const call = rig.run('--block', 'b1', process.execPath, tell).cwd(cwd).env('Mixed_Case', 'x=y "z" ü');
    const told = JSON.parse((await call.stdout(anything).run(capMs)).stdout) as Told;
    expect(told.cwd).toBe(cwd);
    expect(told.env['Mixed_Case']).toBe('x=y "z" ü');
    const given = new Set(Object.keys({ ...process.env, ...rig.env, Mixed_Case: '' }).map((key) => key.toUpperCase()));
    const added = Object.keys(told.env).filter((key) => !given.has(key.toUpperCase()));
    expect(added.sort()).toEqual(['AGENTMUX_BLOCKID', 'AGENTMUX_TAG']);
    expect(told.env['AGENTMUX_BLOCKID']).toBe('b1');
  });

  it.each([0, 1, 2, 255, 256, 65_536])('come back as the exit code %i', async (code) => {
    await createRig().run(process.execPath, '-e', `process.exit(${code})`).status(code).run(capMs);
  });

  it('come back as the status of an access violation', async () => {
    const rig = createRig();
    const agent = await createAgent();
    const wrapper = rig.run(...agent.argv).start();
    (await agent.connected()).crash(0xc0000005);
    expect((await wrapper.ended(capMs)).status).toBe(0xc0000005);
  });
});

describe('the streams of the command', () => {
  const copy = 'process.stdin.pipe(process.stdout)';

  it('are the pipes that we have', async () => {
    const bytes = randomBytes(300_000);
    const result = await outcome(createRig().run(process.execPath, '-e', copy).stdin(bytes));
    expect(result.stderr).toBe('');
    expect(result.stdoutBytes.equals(bytes)).toBe(true);
  });

  it('are the files that we have', async () => {
    const rig = createRig();
    const [from, to] = ['from', 'to'].map((name) => join(rig.workDirectory, name)) as [string, string];
    const bytes = randomBytes(100_000);
    writeFileSync(from, bytes);
    const [input, output] = [openSync(from, 'r'), openSync(to, 'w')];
    const running = rig.run(process.execPath, '-e', copy).start({ stdio: [input, output, 'pipe'] });
    expect(await running.exited(capMs)).toBe(0);
    for (const fd of [input, output]) closeSync(fd);
    expect(readFileSync(to).equals(bytes)).toBe(true);
    expect(running.stderr).toBe('');
  });

  it('go on to what the command starts with them', async () => {
    const rig = createRig();
    const inner = `require('child_process').spawnSync(process.execPath, ['-e', 'console.log(1); console.error(2)'], {stdio: 'inherit'})`;
    await rig.run(process.execPath, '-e', inner).stdout('1\n').stderr('2\n').run(capMs);
  });

  it('may be none', async () => {
    const running = createRig().run(process.execPath, '-e', copy).start({ stdio: 'ignore' });
    expect(await running.exited(capMs)).toBe(0);
  });
});

describe('the command itself', () => {
  it('is found by its name on PATH, with the endings of PATHEXT', async () => {
    const rig = createRig();
    await rig.run('cmd', '/d', '/c', 'exit 7').status(7).run(capMs);
    await rig.run('whoami').stdout(/./).run(capMs);
  });

  it('behind a shim of npm is the program that the shim is for', async () => {
    const rig = createRig();
    const bin = makeShim(rig, 'claude', 'node_modules/@scope/claude/cli.js', [
      `const { env, argv } = process; const { ppid } = process;`,
      `console.log(JSON.stringify({ args: argv.slice(2), cwd: process.cwd(), env, ppid }));`,
    ]);
    const args = ['-p', 'a "b" & c | d', '100%', '^x', ''];
    const call = rig.run('claude', ...args).env('PATH', `${bin};${rig.env['PATH'] ?? rig.env['Path']}`);
    const { stdout, stderr, status } = await outcome(call);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect((JSON.parse(stdout) as Told).args).toEqual(args);
  });

  it('may be any other batch file, with its arguments and its exit code', async () => {
    const rig = createRig();
    const file = join(rig.workDirectory, 'tool one.cmd');
    writeFileSync(file, `@"${process.execPath}" "${tell}" %*\r\n@exit /b 9\r\n`);
    const args = ['plain', 'with blank', 'a&b', 'c|d', '<e>', '(f)', 'g^h'];
    const { stdout, stderr, status } = await outcome(rig.run(file, ...args));
    expect({ stderr, status }).toEqual({ stderr: '', status: 9 });
    expect((JSON.parse(stdout) as Told).args).toEqual(args);
  });

  it('may be reached by no path that is too long for Windows, which is said', async () => {
    const rig = createRig();
    const directory = join(rig.workDirectory, 'd'.repeat(120), 'e'.repeat(120));
    mkdirSync(directory, { recursive: true });
    const file = join(directory, 'tool.exe');
    copyFileSync(join(process.env['SYSTEMROOT'] ?? '', 'system32', 'hostname.exe'), file);
    const { status, stdout, stderr } = await outcome(rig.run(file));
    // Windows starts it where it was told that programs may have such paths.
    if (status !== 0) expect(stderr).toContain('characters is longer than this system starts programs by');
    expect([status, stdout === '']).toEqual(status === 0 ? [0, false] : [126, true]);
  });

  it('is missed, or no program, and both are said', async () => {
    const rig = createRig();
    await rig
      .run('no-such-command')
      .stderr(/^agentmux-run: command "no-such-command" was not found on PATH\n/)
      .status(127)
      .run(capMs);
    writeFileSync(join(rig.workDirectory, 'notes.txt'), 'words');
    await rig
      .run('./notes.txt')
      .stderr(/^agentmux-run: /)
      .status(126)
      .run(capMs);
  });
});

/** What npm writes for a bin of a package, with the package beside it; gives the directory. */
function makeShim(rig: Rig, name: string, script: string, lines: readonly string[]): string {
  const bin = join(rig.workDirectory, 'npm');
  const path = join(bin, script);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, lines.join('\n'));
  const target = script.replaceAll('/', '\\');
  const shim = [
    '@ECHO off',
    'GOTO start',
    ':find_dp0',
    'SET dp0=%~dp0',
    'EXIT /b',
    ':start',
    'SETLOCAL',
    'CALL :find_dp0',
    '',
    'IF EXIST "%dp0%\\node.exe" (',
    '  SET "_prog=%dp0%\\node.exe"',
    ') ELSE (',
    '  SET "_prog=node"',
    '  SET PATHEXT=%PATHEXT:;.JS;=;%',
    ')',
    '',
    `endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\${target}" %*`,
    '',
  ];
  writeFileSync(join(bin, `${name}.cmd`), shim.join('\r\n'));
  return `${bin};${join(process.execPath, '..')}`;
}
