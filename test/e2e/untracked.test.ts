import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { compileSchema, findFaults, withoutEachField } from '../helpers/json-schema.ts';
import { startProcess } from '../helpers/processes.ts';
import { isAlive } from '../helpers/procfs.ts';
import { waitFor } from '../helpers/wait-for.ts';

interface Agent {
  readonly pid: number;
  readonly agent: string;
  readonly cwd: string;
}

const ask = (rig: Rig) => rig.agentmux('doctor', '--untracked', '--json').json<{ readonly agents: readonly Agent[] }>();

/** A program that is called what the agent is called, and sleeps. */
function makeAgent(rig: Rig, name: string): string {
  const file = join(rig.directory, name);
  copyFileSync('/bin/sleep', file);
  return file;
}

describe('agentmux doctor --untracked', () => {
  it('lists an agent outside any block, and not one inside', async () => {
    const rig = createRig();
    const codex = makeAgent(rig, 'codex');
    const stray = startProcess(codex, ['300'], { cwd: rig.workDirectory });
    const inside = rig.run('--block', 'b1', codex, '301').start();
    await waitFor('both', async () => {
      const { stdout } = await rig
        .agentmux('ps', '--all', '--block', 'b1')
        .stdout(/[\s\S]*/)
        .stderr(/[\s\S]*/)
        .start()
        .ended();
      return stdout.includes('codex 301') && (await ask(rig)).agents.some(({ pid }) => pid === stray.pid);
    });
    const document = await ask(rig);
    const own = document.agents.filter(({ cwd }) => cwd === rig.workDirectory);
    expect(own).toMatchObject([{ agent: 'codex', pid: stray.pid }]);
    const validate = compileSchema('doctor-untracked');
    expect(findFaults(validate, document)).toEqual([]);
    expect(withoutEachField(document).filter((without) => validate(without.document))).toEqual([]);
    const { stdout } = await rig
      .agentmux('doctor', '--untracked')
      .stdout(/./)
      .stderr(/^started by agentmux-run/)
      .run();
    expect(stdout).toMatch(new RegExp(`^codex +${stray.pid} .* ${codex} 300$`, 'm'));
    expect(isAlive(stray.pid)).toBe(true);
    expect(isAlive(inside.pid)).toBe(true);
  });

  it('counts agents below an agent as one', async () => {
    const rig = createRig();
    const codex = makeAgent(rig, 'codex');
    const outer = makeAgent(rig, 'claude');
    copyFileSync('/bin/bash', outer);
    const { pid } = startProcess(outer, ['-c', `'${codex}' 302; true`], { cwd: rig.workDirectory });
    const agents = await waitFor('it', async () => {
      const found = (await ask(rig)).agents.filter(({ cwd }) => cwd === rig.workDirectory);
      return found.length > 0 && found;
    });
    expect(agents).toMatchObject([{ agent: 'claude', pid }]);
  });
});

describe('an agent without a tracker', () => {
  it('is ended alone at the end of its time', async () => {
    const rig = createRig({ tracker: 'stub' });
    const command = ['sh', '-c', 'sleep 300 >child.out 2>&1 & echo $! >child; echo $$ >pid; exec sleep 300'];
    await rig
      .run('--timeout', '1s', '--', ...command)
      .stderr('agentmux-run: the time is up: ending the agent\n')
      .status(124)
      .run();
    expect(isAlive(readPid(rig))).toBe(false);
    const child = readPid(rig, 'child');
    expect(isAlive(child)).toBe(true);
    process.kill(child);
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('gets %s, and its end is ours', async (signal) => {
    const rig = createRig({ tracker: 'stub' });
    const running = rig
      .run('--', 'sh', '-c', 'trap "exit 9" TERM HUP; echo $$ >pid; while :; do sleep 0.1; done')
      .status(9)
      .start();
    await waitFor('the agent', () => existsSync(join(rig.workDirectory, 'pid')) && readPid(rig) > 0);
    running.kill(signal);
    expect(await running.exited()).toBe(9);
  });
});

/** What a command of the rig wrote into a file in its directory. */
function readPid(rig: Rig, file = 'pid'): number {
  return Number(readFileSync(join(rig.workDirectory, file), 'utf8'));
}
