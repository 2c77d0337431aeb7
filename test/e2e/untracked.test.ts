import { copyFileSync } from 'node:fs';
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
