import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';

/**
 * The main job with nothing but what macOS has: bash, ps and Node. On Linux the same is read by ps, which shows that the
 * test itself is right.
 */
interface Row {
  readonly pid: number;
  readonly command: string;
  readonly role: string;
}

/**
 * An agent with two tool calls, each in a session of its own, one of which leaves a daemon; and a server of its own. That
 * call lives for some seconds: macOS hides the environment of `sleep`, so that only the session tells whose it is, and
 * that one must have been seen.
 */
const AGENT = `
const { spawn } = require('node:child_process');
const tool = (script) => spawn('bash', ['-c', script], { detached: true, stdio: 'ignore' });
tool('sleep 4701; true');
tool('(sleep 4702 >/dev/null 2>&1 &) ; exec sleep 3');
spawn('sleep', ['4703'], { stdio: 'ignore' });
process.stdin.on('end', () => process.exit(7)).resume();
`;

const isAlive = (pid: number): boolean => {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 && !stdout.trim().startsWith('Z') && stdout.trim() !== '';
};

function createWorld() {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-macos-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const script = join(directory, 'agent.cjs');
  writeFileSync(script, AGENT);
  const env = { ...process.env, AGENTMUX_STATE_DIR: join(directory, 'state'), AGENTMUX_PROCESS_TABLE: 'ps' };
  const agentmux = (...args: string[]) =>
    spawnSync(process.execPath, [resolve('bin/agentmux.js'), ...args], { env, encoding: 'utf8' });
  const list = (): Row[] => {
    const { stdout } = agentmux('ps', '--all', '--json');
    return (JSON.parse(stdout) as { rows?: Row[] }).rows ?? [];
  };
  const run = (...options: string[]) => {
    const args = [resolve('bin/agentmux-run.js'), '--block', 'm', ...options, '--', process.execPath, script];
    const wrapper = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'pipe'] });
    let stderr = '';
    wrapper.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const ended = new Promise<number | null>((settle) => void wrapper.once('close', settle));
    onTestFinished(async () => {
      agentmux('kill-tree', '--block', 'm', '--grace', '0');
      wrapper.kill('SIGKILL');
      await ended;
    });
    return { wrapper, ended, stderr: () => stderr };
  };
  const sleepers = () =>
    waitFor('the three sleepers', () => {
      const rows = list().filter(({ command }) => /^sleep 470[123]$/.test(command));
      return rows.length === 3 && rows.some(({ role }) => role === 'plumbing') && rows;
    });
  return { agentmux, list, run, sleepers };
}

const hasPrograms = ['ps', 'lsof', 'bash'].every((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);

describeIf(process.platform !== 'win32' && hasPrograms, 'needs ps, lsof and bash', 'the main job by ps', () => {
  it('tells what the agent started from what is its own', async () => {
    const world = createWorld();
    world.run();
    const roles = new Map((await world.sleepers()).map(({ command, role }) => [command, role]));
    expect(Object.fromEntries(roles)).toEqual({
      'sleep 4701': 'started',
      'sleep 4702': 'started',
      'sleep 4703': 'plumbing',
    });
    expect(world.agentmux('blocks').stdout).toMatch(/^m .* running/m);
    expect(world.agentmux('tree').stdout).toContain('sleep 4702');
  });

  it('ends the block, verified', async () => {
    const world = createWorld();
    const { ended } = world.run();
    const rows = await world.sleepers();
    const { status, stdout } = world.agentmux('kill-tree', '--block', 'm', '--grace', '1');
    expect([status, stdout]).toEqual([0, expect.stringContaining('sleep 4702')]);
    expect(rows.filter(({ pid }) => isAlive(pid))).toEqual([]);
    expect(await ended).not.toBe(0);
  });

  it('ends one process and leaves the rest', async () => {
    const world = createWorld();
    world.run();
    const rows = await world.sleepers();
    const one = rows.find(({ command }) => command === 'sleep 4702')?.pid ?? 0;
    expect(world.agentmux('kill', String(one)).status).toBe(0);
    expect(rows.filter(({ pid }) => isAlive(pid)).length).toBe(2);
  });

  it('finds and ends what is left when agentmux-run was killed', async () => {
    const world = createWorld();
    const { wrapper, ended } = world.run();
    const rows = await world.sleepers();
    wrapper.kill('SIGKILL');
    await ended;
    expect(world.agentmux('blocks').stdout).toMatch(/^m .* wrapper gone/m);
    expect(world.agentmux('kill-tree', '--block', 'm', '--grace', '0').status).toBe(0);
    expect(rows.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });

  it('passes the exit code on, and ends leftovers where that is the policy', async () => {
    const world = createWorld();
    const { wrapper, ended, stderr } = world.run('--leftovers', 'kill');
    const rows = await world.sleepers();
    wrapper.stdin.end();
    expect(await ended).toBe(7);
    expect(stderr()).toMatch(/ended \d process(es)? of m/);
    expect(rows.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });
});

describe('doctor', () => {
  it('says how processes are read', () => {
    const { stdout } = createWorld().agentmux('doctor');
    expect(stdout).toMatch(/^processes: read by ps/m);
  });
});
