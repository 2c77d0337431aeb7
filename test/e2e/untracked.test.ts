import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
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

interface Recorded {
  readonly runs: readonly { readonly root?: { readonly startTicks: number } | null }[];
}

/** A `ps` that fails while the file `broken` is there and `mended` is not, put before that of the system. */
function breakPs(rig: Rig, broken = join(rig.directory, 'broken')) {
  const mended = join(rig.directory, 'mended');
  const bin = join(rig.directory, 'bin');
  mkdirSync(bin);
  const path = rig.env['PATH'];
  const script = `#!/bin/sh\n[ ! -e ${broken} ] || [ -e ${mended} ] || exit 1\nPATH=${path} exec ps "$@"\n`;
  writeFileSync(join(bin, 'ps'), script, { mode: 0o755 });
  return { path: `${bin}:${path}`, broken, mended };
}

const TOLD = /^agentmux-run: not tracked and not recorded: cannot read processes by ps: ps ended with status 1/;

describe('an agent whose processes cannot be read', () => {
  it('runs all the same, which is told, and nothing is recorded', async () => {
    const rig = createRig({ reader: 'ps' });
    const { path, broken } = breakPs(rig);
    writeFileSync(broken, '');
    const call = rig.run('--block', 'b1', '--', 'sh', '-c', 'echo out; exit 7').env('PATH', path);
    await call.stdout('out\n').stderr(TOLD).status(7).run();
    await rig.agentmux('blocks', '--all').stderr(anything).run();
    expect(existsSync(join(rig.stateDirectory, 'blocks'))).toBe(false);
  });

  it('is not started if a tracker was required, and is called untracked by a dry run', async () => {
    const rig = createRig({ reader: 'ps' });
    const { path, broken } = breakPs(rig);
    writeFileSync(broken, '');
    await rig
      .run('--require', 'cgroup', '--', 'touch', 'started')
      .env('PATH', path)
      .stderr(/--require cgroup: not to be had here \(no-ps: cannot read processes by ps/)
      .status(125)
      .run();
    expect(existsSync(join(rig.workDirectory, 'started'))).toBe(false);
    const { stdout } = await rig
      .run('--dry-run', '--json', '--', 'true')
      .env('PATH', path)
      .stdout(anything)
      .stderr(TOLD)
      .run();
    expect(JSON.parse(stdout)).toMatchObject({ tracker: 'stub', confidence: 'none', reasons: [{ code: 'no-ps' }] });
  });

  it('keeps its exit code where ps fails under way', async () => {
    const rig = createRig({ reader: 'ps' });
    const { path, broken } = breakPs(rig);
    await rig
      .run('--block', 'b1', '--', 'sh', '-c', `: >${broken}; exit 7`)
      .env('PATH', path)
      .stderr(/^agentmux-run: what b1 left behind is not known: cannot read processes by ps/)
      .status(7)
      .run();
  });

  it.each([
    ['from its start on', 'blocks/b1.json'],
    ['from its end on', 'ended'],
  ])('keeps exit code and block where ps fails %s', async (_, sign) => {
    const rig = createRig({ reader: 'ps' });
    const { path } = breakPs(rig, join(rig.stateDirectory, sign));
    const ended = join(rig.stateDirectory, 'ended');
    await rig
      .run('--block', 'b1', '--', 'sh', '-c', `echo out; : >${ended}; exit 7`)
      .env('PATH', path)
      .stdout('out\n')
      .stderr(/^agentmux-run: what b1 left behind is not known: cannot read processes by ps: .*\n$/)
      .status(7)
      .run();
    await rig.agentmux('blocks', '--all').stdout(/^b1 /m).run();
  });

  it('is recorded as soon as ps works, where it fails at the start', async () => {
    const rig = createRig({ reader: 'ps' });
    const record = join(rig.stateDirectory, 'blocks', 'b1.json');
    const { path, mended } = breakPs(rig, record);
    const readStart = (): number | undefined =>
      (JSON.parse(readFileSync(record, 'utf8')) as Recorded).runs[0]?.root?.startTicks;
    const script = 'echo ready; while [ ! -e end ]; do sleep 0.05; done; exit 7';
    const running = rig.run('--block', 'b1', '--', 'sh', '-c', script).env('PATH', path).start();
    await running.seen(/ready/);
    await waitFor('a record without a start', () => readStart() === 0);
    writeFileSync(mended, '');
    await waitFor('its start', () => (readStart() ?? 0) > 0);
    await rig
      .agentmux('blocks')
      .stdout(/^b1 .* running/m)
      .run();
    writeFileSync(join(rig.workDirectory, 'end'), '');
    expect(await running.exited()).toBe(7);
  });

  it.each(['under way', 'at all'])('is ended at the end of its time where ps fails %s', async (when) => {
    const rig = createRig({ reader: 'ps' });
    const { path, broken } = breakPs(rig);
    if (when === 'at all') writeFileSync(broken, '');
    await rig
      .run('--timeout', '1s', '--', 'sh', '-c', `: >${broken}; echo $$ >pid; exec sleep 300`)
      .env('PATH', path)
      .stderr(/the time is up: ending the agent/)
      .status(124)
      .run();
    expect(isAlive(readPid(rig))).toBe(false);
  });
});

describe('an agent whose processes are read while Ctrl-C is pressed again and again', () => {
  it('stays watched, and what reads them is not interrupted', async () => {
    const rig = createRig({ reader: 'ps' });
    const bin = join(rig.directory, 'bin');
    mkdirSync(bin);
    const path = rig.env['PATH'];
    const at = (name: string): string => join(rig.workDirectory, name);
    writeFileSync(
      join(bin, 'ps'),
      `#!/bin/sh
trap ': >${at('interrupted')}' INT
if [ -e ${at('slow')} ]; then : >${at('asked')}; while [ -e ${at('slow')} ]; do sleep 0.05; done; fi
PATH=${path} exec ps "$@"\n`,
      { mode: 0o755 },
    );
    const agent = 'trap "echo got" INT; echo ready; while [ ! -e end ]; do sleep 0.05; done; exit 7';
    const running = rig
      .run('--block', 'b1', '--', 'sh', '-c', agent)
      .env('PATH', `${bin}:${path}`)
      .start({ detached: true });
    await running.seen(/ready/);
    writeFileSync(at('slow'), '');
    for (let times = 1; times <= 3; times += 1) {
      process.kill(-running.pid, 'SIGINT');
      await waitFor('ps to be called', () => existsSync(at('asked')));
      await running.seen(new RegExp(`(?:got\\s+){${times}}`));
    }
    rmSync(at('slow'));
    writeFileSync(at('end'), '');
    expect(await running.exited()).toBe(7);
    expect(existsSync(at('interrupted'))).toBe(false);
    expect(running.stderr).toBe('');
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
