import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anything } from '../helpers/cli-call.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { capMs, sleeper } from './helpers/agent.ts';
import { isAlive } from './helpers/look.ts';
import { bins, createRig, outcome, type Rig, startBlock } from './helpers/rig.ts';

const byForce = 'this system has no signal that asks a process to end: it is ended at once\n';
const forever = 'setInterval(() => {}, 1000)';

interface Typed {
  readonly code: number;
  readonly got: readonly string[];
}

/** Runs a script in a block in a console of its own, and types Ctrl-C there once it has said READY. */
async function typeCtrlC(rig: Rig, script: string): Promise<Typed & { readonly output: string }> {
  const output = join(rig.workDirectory, 'output');
  const command = [process.execPath, bins.agentmuxRun, process.execPath, '-e', `${script}; console.log('READY')`];
  const argv = [resolve('test/windows/fixtures/typist.cjs'), '0', 'READY', output, ...command];
  const typist = spawn(process.execPath, argv, { env: rig.env, cwd: rig.workDirectory, stdio: ['ignore', 'pipe', 2] });
  let told = '';
  typist.stdout?.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  await waitFor('the typist to end', () => typist.exitCode !== null && told.includes('\n'), capMs);
  return { ...(JSON.parse(told) as Typed), output: readFileSync(output, 'utf8') };
}

describe('Ctrl-C on the console', () => {
  it('is heard by the agent, once, which decides what becomes of it; agentmux-run waits', async () => {
    const script = `process.on('SIGINT', () => { console.log('heard'); setTimeout(() => process.exit(42), 300) }); ${forever}`;
    const { code, got, output } = await typeCtrlC(createRig(), script);
    expect({ code, got }).toEqual({ code: 42, got: ['SIGINT'] });
    expect(output.match(/heard/g)).toHaveLength(1);
  });

  it('ends an agent that does not mind it, with the status that Windows has for that', async () => {
    expect(await typeCtrlC(createRig(), forever)).toMatchObject({ code: 0xc000013a, output: 'READY\n' });
  });
});

describe('the end by force', () => {
  it('is what a time limit comes to, at once, and it is said', async () => {
    const rig = createRig();
    await rig
      .run('--timeout', '1s', '--grace', '1h', process.execPath, '-e', forever)
      .stderr('agentmux-run: the time is up: ending the agent at once\n')
      .status(124)
      .run(capMs);
    await rig
      .run('--timeout', '1s', '--leftovers', 'keep', process.execPath, '-e', forever)
      .stderr(anything)
      .status(124)
      .run(capMs);
  });

  it('is told of in a dry run and of a kill, with no grace and no signal that there is not', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const tool = String(await agent.startTool(sleeper.join(' ')));
    const kill = (...args: string[]) => rig.agentmux('kill', '--json', ...args);
    const plan = await outcome(kill('--dry-run', '--grace', '9', tool));
    expect(JSON.parse(plan.stdout)).toMatchObject({ signal: 'SIGKILL', graceMs: 0 });
    expect(plan.stderr).toBe(byForce);
    await kill('-s', 'HUP', tool)
      .stdout(anything)
      .stderr(/"HUP" cannot be sent on this system/)
      .status(2)
      .run(capMs);
    const { stdout, stderr } = await outcome(kill('-9', tool));
    expect(stderr).not.toContain(byForce);
    const { rows } = JSON.parse(stdout) as { rows: { result: string }[] };
    expect(new Set(rows.map(({ result }) => result))).toEqual(new Set(['killed']));
    const tree = await outcome(rig.agentmux('kill-tree', '--json', '--dry-run'));
    expect(JSON.parse(tree.stdout)).toMatchObject({ graceMs: 0 });
    expect(tree.stderr).toContain(byForce);
  });

  it.each([undefined, 'scan'])(
    'by the block that asks for it spares whoever asks, who tells (tracker %s)',
    async (tracker) => {
      const rig = createRig(tracker === undefined ? {} : { tracker });
      const { agent, agentPid, wrapper } = await startBlock(rig, 'b1');
      const other = await agent.start(sleeper);
      const output = join(rig.workDirectory, 'output');
      await agent.startTool(`"${process.execPath}" "${bins.agentmux}" kill-tree --json >"${output}" 2>nul`);
      expect(await wrapper.exited(capMs)).not.toBe(0);
      const told = await waitFor('the report', () => parse(readFileSync(output, 'utf8')), capMs);
      expect(told.ok).toBe(true);
      expect(told.rows.map(({ pid }) => pid)).toEqual(expect.arrayContaining([agentPid, other]));
      expect([agentPid, other].filter(isAlive)).toEqual([]);
    },
  );

  it('is refused for agentmux-run itself', async () => {
    const rig = createRig();
    const { wrapper } = await startBlock(rig, 'b1');
    await rig
      .agentmux('kill', String(wrapper.pid))
      .stderr(/is agentmux-run of block "b1": not signalled/)
      .status(5)
      .run(capMs);
  });
});

describe('a pid that no process has', () => {
  it('may be one of Git Bash, which is said there', async () => {
    const rig = createRig();
    await startBlock(rig, 'b1');
    await rig
      .agentmux('kill', '1234567')
      .env('MSYSTEM', 'MINGW64')
      .stderr(/no process 1234567 lives.*\/proc\/1234567\/winpid/s)
      .status(3)
      .run(capMs);
  });
});

describe('what has no meaning on Windows', () => {
  it.each([
    ['--nohup', ['--nohup']],
    ['--pass-fd', ['--pass-fd', '3']],
  ])('such as %s is refused before anything starts', async (option, words) => {
    await createRig()
      .run(...words, process.execPath, '-v')
      .stderr(new RegExp(`^agentmux-run: ${option} means nothing on Windows`))
      .status(125)
      .run(capMs);
  });
});

function parse(text: string): { readonly ok: boolean; readonly rows: readonly { readonly pid: number }[] } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
