import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anything } from '../helpers/cli-call.ts';
import { seededRandom } from '../helpers/random.ts';
import { capMs, createAgent } from './helpers/agent.ts';
import { createRig, outcome, type Rig } from './helpers/rig.ts';
import { randomVectors } from './helpers/vectors.ts';

const tell = resolve('test/windows/fixtures/tell.cjs');
const shims = resolve('test/fixtures/shims');
const nodeDirectory = dirname(process.execPath);

function withPath(rig: Rig, ...directories: string[]): string {
  return [...directories, nodeDirectory, rig.env['PATH'] ?? rig.env['Path'] ?? ''].join(';');
}

async function askArgs(rig: Rig, ...words: string[]): Promise<readonly string[]> {
  const { stdout, stderr, status } = await outcome(rig.run('--', ...words).env('PATH', withPath(rig)));
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return (JSON.parse(stdout) as { args: readonly string[] }).args;
}

describe('a batch file that is no shim', () => {
  it('gets arguments through cmd.exe as they are, random ones too', async () => {
    const rig = createRig();
    const file = join(rig.workDirectory, 'own tool.cmd');
    writeFileSync(file, `@echo off\r\nnode "${tell}" %*\r\n`);
    const args = randomVectors(100, seededRandom(7))
      .flat()
      .map((word) => word.replaceAll('\n', ''));
    // cmd.exe reads no more than 8,191 characters, and `%` takes eight.
    for (let first = 0; first < args.length; first += 60) {
      const some = args.slice(first, first + 60);
      expect(await askArgs(rig, file, ...some)).toEqual(some);
    }
  });

  it('gets none that cmd.exe would make something else of', async () => {
    const rig = createRig();
    const file = join(rig.workDirectory, 'tool.cmd');
    writeFileSync(file, '@echo off\r\nsetlocal EnableDelayedExpansion\r\necho %1\r\n');
    for (const [argument, why] of [
      ['a\nb', /line break/],
      ['!PATH!', /delayed expansion/],
    ] as const) {
      await rig.run(file, argument).stderr(why).status(126).run(capMs);
    }
  });
});

describe('a shim of npm, pnpm or yarn', () => {
  const names = readdirSync(shims).filter((name) => /-cli\.cmd$/.test(name));

  it('is looked through, so that the agent itself is what runs in the block', async () => {
    const rig = createRig();
    const bin = join(rig.workDirectory, 'a', 'bin');
    const script = join(rig.workDirectory, 'pkg', 'cli.js');
    mkdirSync(bin, { recursive: true });
    mkdirSync(dirname(script));
    writeFileSync(script, `require(${JSON.stringify(resolve('test/windows/fixtures/agent.cjs'))})`);
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\n');
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) {
      writeFileSync(join(bin, 'claude.cmd'), readFileSync(join(shims, name)));
      const agent = await createAgent();
      const pipe = agent.argv.at(-1) ?? '';
      const running = rig
        .run('--block', `b-${name.length}-${name}`, 'claude', pipe, 'a b')
        .env('PATH', withPath(rig, bin))
        .start();
      const session = await agent.connected();
      const { ppid, argv, env } = await session.inspect();
      expect({ ppid, argv }).toEqual({ ppid: running.pid, argv: [pipe, 'a b'] });
      expect(env['NODE_PATH']).toBe(name.startsWith('zkochan') ? '\\x\\node_modules' : undefined);
      session.exit(5);
      expect((await running.ended(capMs)).status).toBe(5);
    }
  });
});

describe('the name of a command', () => {
  it('is not looked for in the working directory', async () => {
    const rig = createRig();
    writeFileSync(join(rig.workDirectory, 'mine.cmd'), '@exit /b 4\r\n');
    await rig
      .run('mine')
      .stderr(/not found on PATH/)
      .status(127)
      .run(capMs);
    await rig.run('.\\mine').status(4).run(capMs);
    await rig.run('./mine.cmd').status(4).run(capMs);
  });

  it('may be a path as Git Bash writes it, if Windows has that', async () => {
    const rig = createRig();
    const file = join(rig.workDirectory, 'mine.cmd');
    writeFileSync(file, '@exit /b 4\r\n');
    const msys = file.replace(/^([A-Za-z]):/, (_, drive: string) => `/${drive.toLowerCase()}`).replaceAll('\\', '/');
    await rig.run(msys).status(4).run(capMs);
    await rig
      .run('/usr/bin/vim')
      .stderr(/no path of Windows\n.*cygpath -w \/usr\/bin\/vim/)
      .status(127)
      .run(capMs);
  });

  it('may not be a script for another system, and what runs it is said', async () => {
    const rig = createRig();
    writeFileSync(join(rig.workDirectory, 'run.sh'), '#!/usr/bin/env bash\n');
    await rig
      .run('./run.sh')
      .stderr(/Windows does not read "#!"\n.*agentmux-run bash /)
      .status(126)
      .run(capMs);
  });

  it('is told in a dry run with what it came to', async () => {
    const rig = createRig();
    const bin = join(rig.workDirectory, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'claude.cmd'), readFileSync(join(shims, 'cmd-shim-7-cli.cmd')));
    const { stdout } = await rig
      .run('--dry-run', '--json', 'claude')
      .env('PATH', withPath(rig, bin))
      .stdout(anything)
      .run(capMs);
    const facts = JSON.parse(stdout) as Record<string, unknown>;
    expect(facts).toMatchObject({ endsByForce: true, labels: [expect.stringMatching(/^no labels: /)] });
    expect(String(facts['executable']).toLowerCase()).toBe(process.execPath.toLowerCase());
    expect(facts['found']).toEqual([expect.stringMatching(/claude\.cmd starts .*node\.exe .*cli\.js$/i)]);
  });
});
