import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/program.ts';
import { bins, createRig } from '../helpers/cli.ts';
import { createMemoryContext } from '../helpers/memory-context.ts';

const program = await createProgram(createMemoryContext());
const commands = program.commands.map((command) => command.name());

describe('agentmux', () => {
  it('without a word prints short help with two examples', async () => {
    const { stdout } = await createRig().agentmux().stdout(/./).run();
    expect(stdout).toMatch(/Examples:\n {2}agentmux-run claude .*\n {2}agentmux ps .*\n/);
    expect(stdout.split('\n').length).toBeLessThan(14);
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    await createRig().agentmux('--version').stdout(`${version}\n`).run();
  });

  it.each([
    [['nope'], "error: unknown command 'nope'\nhint: agentmux --help\n"],
    [['nope', '--json-ish', 'x'], "error: unknown command 'nope'\nhint: agentmux --help\n"],
    [['bloks'], "error: unknown command 'bloks'\nhint: did you mean blocks? See agentmux --help\n"],
    [['claude', '-p', 'hi'], 'error: "claude" is an agent, not a command\nhint: agentmux-run claude\n'],
    [['--nope'], "error: unknown option '--nope'\nhint: agentmux --help\n"],
    [['ps', 'operand'], /^error: too many arguments for 'ps'.*\nhint: agentmux ps --help\n$/],
    [['ps', '--formt', 'x'], "error: unknown option '--formt'\nhint: did you mean --format? See agentmux ps --help\n"],
    [['help', 'nope'], "error: unknown command 'nope'\nhint: agentmux --help\n"],
    [['help', 'pss'], "error: unknown command 'pss'\nhint: did you mean ps? See agentmux --help\n"],
    [['help', 'claude'], 'error: "claude" is an agent, not a command\nhint: agentmux-run claude\n'],
  ])('refuses %j with one line and a hint', async (args, stderr) => {
    await createRig()
      .agentmux(...args)
      .status(2)
      .stderr(stderr)
      .run();
  });

  it.each(commands)('%s explains itself with examples and exit codes, by --help, -h and help', async (name) => {
    const rig = createRig();
    const { stdout } = await rig.agentmux(name, '--help').stdout(/./).run();
    expect(stdout).toMatch(/\nExamples:\n {2}\S/);
    expect(stdout).toMatch(/\nExit codes:\n {2}/);
    await rig.agentmux(name, '-h').stdout(stdout).run();
    await rig.agentmux('help', name).stdout(stdout).run();
  });

  it.each([
    ['blocks', [0, 1, 2, 3, 5]],
    ['kill', [0, 1, 2, 3, 4, 5]],
    ['wait', [0, 1, 2, 3, 5, 124]],
    ['init', [0, 1, 2]],
    ['--help', [0, 1, 2, 3, 4, 5, 124]],
  ])('%s lists the exit codes that it can end with', async (name, codes) => {
    const { stdout } = await createRig().agentmux('help', name).stdout(/./).run();
    const [, list = ''] = stdout.split('\nExit codes:\n');
    expect([...list.matchAll(/^ +(\d+) {2}/gm)].map(([, code]) => Number(code))).toEqual(codes);
  });

  it('describes every flag, and takes a long name for each', () => {
    for (const command of [program, ...program.commands]) {
      expect(command.description(), command.name()).not.toBe('');
      for (const option of command.options) {
        expect(option.long, `${command.name()} ${option.flags}`).toMatch(/^--[a-z][a-z-]+$/);
        expect(option.description, `${command.name()} ${option.flags}`).toMatch(/^\S/);
      }
    }
  });

  it('has a manual page for each command, agentmux-run and itself', () => {
    const pages = readdirSync('man').filter((name) => name.endsWith('.1'));
    expect(pages.sort()).toEqual(['agentmux.1', ...commands.map((name) => `agentmux-${name}.1`)].sort());
    // npm makes the pages of this list known to man(1) on a global install; a directory alone it does not.
    const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { man: string[] };
    expect([...man].sort()).toEqual(pages.map((name) => `man/${name}`).sort());
  });

  it('ends quietly when the reader of its output has gone', () => {
    const script = `set -o pipefail; "$0" "$1" --help | head -c 10 >/dev/null; echo "\${PIPESTATUS[0]}"`;
    const result = execFileSync('bash', ['-c', `exec 2>&1; ${script}`, process.execPath, bins.agentmux], {
      encoding: 'utf8',
    });
    expect(result).toBe('0\n');
  });

  it('says so when its output cannot be written', async () => {
    const rig = createRig();
    await rig
      .command('sh', '-c', '"$0" "$1" --help > /dev/full', process.execPath, bins.agentmux)
      .status(1)
      .stderr('error: cannot write the output: ENOSPC\n')
      .run();
  });

  it('says so in words alone when the JSON of an error cannot be written either', async () => {
    const rig = createRig();
    await rig
      .command('sh', '-c', '"$0" "$1" ps --json --block nope > /dev/full', process.execPath, bins.agentmux)
      .status(3)
      .stderr('error: no block "nope"\nhint: agentmux blocks --all\n')
      .run();
  });

  it('does its work when what it says on the way cannot be written', async () => {
    const rig = createRig();
    await rig.run('--block', 'full', '--leftovers', 'keep', 'sh', '-c', 'setsid sleep 300 >/dev/null 2>&1 &').run();
    const script = '"$0" "$1" kill-tree --block full --grace 0 --json 2> /dev/full';
    await rig
      .command('sh', '-c', script, process.execPath, bins.agentmux)
      .stdout(/"ok": true/)
      .run();
    await rig
      .command('sh', '-c', '"$0" "$1" kill 999999 2> /dev/full', process.execPath, bins.agentmux)
      .status(3)
      .run();
  });

  it('writes all of a large output into a slow pipe that does not block', async () => {
    const rig = createRig();
    const script = [
      'import os,subprocess,sys,time,fcntl',
      'r,w=os.pipe(); os.set_blocking(w,False)',
      'p=subprocess.Popen(sys.argv[1:],stdout=w); os.close(w); n=0',
      'while True:',
      '  b=os.read(r,1000); n+=len(b); time.sleep(0.0005)',
      '  if not b: break',
      'print(n,p.wait())',
    ].join('\n');
    const words = [process.execPath, bins.agentmux, 'ps', '--block', 'x'.repeat(100_000), '--json'];
    const { stdout } = await rig
      .command('python3', '-c', script, ...words)
      .stdout(/./)
      .stderr(/[\s\S]*/)
      .run();
    const [bytes, status] = stdout.trim().split(' ').map(Number);
    expect(status).toBe(3);
    expect(bytes).toBeGreaterThan(100_000);
  });
});
