import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { launch } from '../../src/launch/launch.ts';
import { parseRunOptions, type RawRunOptions } from '../../src/launch/options.ts';
import type { ProgramStarter, StartRequest } from '../../src/platform/starter.ts';
import { win32 } from '../../src/platform/windows/ffi-call.ts';
import { duplicateHandle } from '../../src/platform/windows/handle-calls.ts';
import { JobAccess } from '../../src/platform/windows/job-calls.ts';
import { closeHandle } from '../../src/platform/windows/process-calls.ts';
import { windowsStarter } from '../../src/platform/windows/windows-starter.ts';
import { openStore } from '../../src/state/file-store.ts';
import { createMemoryContext } from '../helpers/memory-context.ts';
import { describeIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { capMs, createAgent, sleeper } from './helpers/agent.ts';
import { isAlive } from './helpers/look.ts';
import { bins, createRig, outcome, type Rig, readRecord, startBlock } from './helpers/rig.ts';
import { platform } from './helpers/windows-world.ts';

const isWindows = process.platform === 'win32';

/** The handle of the job may not be used to put a process into it, so that the system refuses to (error 5). */
const refusing: ProgramStarter = {
  ...windowsStarter,
  start: (request) =>
    windowsStarter.start({ ...request, spawnInside: (spawn) => spawnRefused(request.spawnInside, spawn) }),
};

function spawnRefused<T>(spawnInside: StartRequest['spawnInside'], spawn: Parameters<typeof spawnInside<T>>[0]): T {
  return spawnInside((enclosure) => {
    if (enclosure?.job === undefined) return spawn(enclosure);
    const job = duplicateHandle(win32, enclosure.job, { access: JobAccess.query });
    try {
      return spawn({ ...enclosure, job });
    } finally {
      closeHandle(win32, job);
    }
  });
}

/** Runs a program in block `b1` in this process; `told` is what was said of it. */
async function run(rig: Rig, raw: RawRunOptions, file: string, ...args: string[]) {
  const { machineId } = platform.host();
  const { directories: guard } = platform;
  const isMemberAlive = () => false;
  const store = openStore({ directory: rig.stateDirectory, uid: undefined, guard, machineId, isMemberAlive });
  const context = createMemoryContext({ platform, store, env: rig.env });
  const options = parseRunOptions({ block: 'b1', ...raw }, rig.env);
  const outcome = await launch({ options, operands: [file, ...args] }, context, refusing).catch((error) => error);
  return { outcome, told: context.stderr.text };
}

describeIf(isWindows, 'needs Windows', 'an agent that the system does not start in a job', () => {
  /** A program that leaves a line each time it runs, and ends with 7. */
  const script = (file: string) => `require('fs').appendFileSync(${JSON.stringify(file)}, 'ran\\n'); process.exit(7)`;

  it.each([[{}], [{ leftovers: 'kill' }]])('runs once, is scanned for, and the reason is kept: %j', async (raw) => {
    const rig = createRig();
    const file = join(rig.workDirectory, 'ran.txt');
    const { outcome, told } = await run(rig, { verbose: true, ...raw }, process.execPath, '-e', script(file));
    expect(outcome, told).toBe(7);
    expect(readFileSync(file, 'utf8')).toBe('ran\n');
    const { tracker } = readRecord(rig, 'b1') ?? {};
    const reason = { code: 'job-refused', detail: expect.stringMatching(/agentmux-b1-\w+: CreateProcessW: error 5$/) };
    expect(tracker).toMatchObject({ type: 'scan', confidence: 'best_effort', reasons: [reason] });
    expect(tracker).not.toHaveProperty('job');
    expect(told).toMatch(/job-refused: .*error 5/);
  });

  it('is told of as tracked by another way than was asked for', async () => {
    const { outcome, told } = await run(createRig(), { tracker: 'job' }, process.execPath, '-e', '0');
    expect(outcome).toBe(0);
    expect(told).toMatch(/tracked by scan, not by job \(job-refused: .*\): agentmux doctor/);
  });

  it('is not started where a job is required, and leaves no record', async () => {
    const rig = createRig();
    const file = join(rig.workDirectory, 'ran.txt');
    writeFileSync(file, '');
    const { outcome } = await run(rig, { require: 'job' }, process.execPath, '-e', script(file));
    expect(outcome).toMatchObject({ exitCode: 125, message: expect.stringMatching(/^--require job: .*job-refused: /) });
    expect(readFileSync(file, 'utf8')).toBe('');
    expect(readRecord(rig, 'b1')).toBeUndefined();
  });

  it('fails as ever where it cannot be started without a job either', async () => {
    const rig = createRig();
    const file = join(rig.workDirectory, 'no-program.exe');
    writeFileSync(file, 'words');
    const { outcome } = await run(rig, { require: 'job' }, file);
    expect(outcome).toMatchObject({ exitCode: 126, message: expect.stringContaining('it is no program') });
    expect(readRecord(rig, 'b1')).toBeUndefined();
  });
});

describeIf(
  isWindows,
  'needs Windows',
  'a block that is run again in the job of another while something of it lives',
  () => {
    it('is scanned for, since no job is put below another when it holds processes; all of it is found and ended', async () => {
      const rig = createRig();
      const first = await startBlock(rig, 'dev');
      const leftover = await first.agent.start(sleeper, { detached: true });
      first.agent.exit(0);
      await first.wrapper.ended(capMs);
      expect(isAlive(leftover)).toBe(true);
      expect(readRecord(rig, 'dev')?.tracker.type).toBe('job');

      const outer = await startBlock(rig, 'outer');
      const again = await createAgent();
      await outer.agent.start([process.execPath, bins.agentmuxRun, '--block', 'dev', '--', ...again.argv]);
      const { pid } = await (await again.connected()).inspect();
      const { tracker } = await waitFor(
        'the second run to be recorded',
        () => [readRecord(rig, 'dev')].find((record) => record?.state === 'running' && record.runs.length === 2),
        capMs,
      );
      expect(tracker).toMatchObject({ type: 'scan', reasons: [{ code: 'job-refused' }] });
      const { stdout } = await outcome(rig.agentmux('kill-tree', '--block', 'dev', '--json'));
      await waitFor('all of it to end', () => ![leftover, pid].some(isAlive), capMs);
      for (const one of [leftover, pid]) expect(stdout).toMatch(new RegExp(`"pid": ?${one}\\b`));
    });
  },
);
