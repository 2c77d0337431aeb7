import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { win32 } from '../../src/platform/windows/ffi-call.ts';
import { JobAccess, openJob } from '../../src/platform/windows/job-calls.ts';
import { closeHandle } from '../../src/platform/windows/process-calls.ts';
import { findForeignWriters, parseOwner } from '../../src/platform/windows/sddl.ts';
import { readObjectSecurity, readOwnSpellings } from '../../src/platform/windows/security.ts';
import { anything } from '../helpers/cli-call.ts';
import { describeIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { capMs, createAgent, sleeper } from './helpers/agent.ts';
import { findJobHandles } from './helpers/job-handles.ts';
import { isAlive, priorityClass } from './helpers/look.ts';
import { pidsOf, populate } from './helpers/population.ts';
import { bins, createRig, outcome, readRecord, startBlock } from './helpers/rig.ts';
import { track } from './helpers/windows-world.ts';

const isWindows = process.platform === 'win32';
/** The right to wait: it keeps the name and lets do nothing. */
const keeping = [JobAccess.synchronize];

/** Another program, by the name alone. */
function ask(name: string, order: 'list' | 'count' | 'end'): string {
  const fixture = resolve('test/windows/fixtures/job.cjs');
  const { stdout } = spawnSync(process.execPath, [fixture, name, order], { encoding: 'utf8' });
  return stdout;
}

describeIf(isWindows, 'needs Windows', 'the handle that keeps the name of a job', () => {
  it('is in the agent from its start and goes on to what it starts, and gives no right to anything', async () => {
    const { tracker, root, session } = await track('job');
    const name = tracker.record.job?.name ?? '';
    const child = await session.start(sleeper, { detached: true });
    expect(findJobHandles(root.pid, name).map(({ access }) => access)).toEqual(keeping);
    expect(findJobHandles(child, name).map(({ access }) => access)).toEqual(keeping);
  });

  it('is put into each that is left over when a run is over', async () => {
    const { tracker, root, session } = await track('job');
    const name = tracker.record.job?.name ?? '';
    const population = await populate(session);
    session.exit(0);
    await waitFor('the agent to end', () => !isAlive(root.pid), capMs);
    const left = tracker.memberPids().filter((pid) => pidsOf(population).includes(pid));
    const before = left.map((pid) => findJobHandles(pid, name).length);
    tracker.dispose();
    expect(left.length).toBeGreaterThan(0);
    expect(left.map((pid) => findJobHandles(pid, name).length)).toEqual(before.map((count) => count + 1));
    expect(findJobHandles(process.pid, name)).toEqual([]);
  });
});

describeIf(isWindows, 'needs Windows', 'another program', () => {
  it('reaches a job by its name: lists it, reads its accounting, and ends it', async () => {
    const { tracker, root, session } = await track('job');
    const name = tracker.record.job?.name ?? '';
    const child = await session.start(sleeper, { detached: true });
    const pids = ask(name, 'list').split(' ').map(Number);
    expect(pids).toEqual(expect.arrayContaining([root.pid, child]));
    expect(Number(ask(name, 'count'))).toBe(tracker.memberPids().length);
    expect(ask(name, 'end')).toBe('1');
    await waitFor('all to end', () => ![root.pid, child].some(isAlive), capMs);
    expect(tracker.members()).toEqual([]);
  });

  it('finds it given to its user alone', async () => {
    const { tracker } = await track('job');
    const job = openJob(win32, tracker.record.job?.name ?? '', JobAccess.readControl) ?? 0;
    const security = readObjectSecurity(win32, job);
    closeHandle(win32, job);
    const user = readOwnSpellings(win32);
    expect(user).toContain(parseOwner(security));
    expect(security).toContain(`D:P(A;;`);
    expect(findForeignWriters(security, user)).toEqual([]);
  });
});

describeIf(isWindows, 'needs Windows', 'a block whose wrapper was killed', () => {
  it('is listed and ended, also when the agent has gone too', async () => {
    const rig = createRig();
    const { agent, agentPid, wrapper } = await startBlock(rig, 'b1');
    const population = await populate(agent);
    wrapper.kill('SIGKILL');
    await wrapper.exited(capMs);
    await rig
      .agentmux('blocks')
      .stdout(/b1 .*wrapper gone, \d+ alive/)
      .run(capMs);
    agent.exit(0);
    await waitFor('the agent to end', () => !isAlive(agentPid), capMs);
    const { stdout } = await outcome(rig.agentmux('blocks', '--json', '--block', 'b1'));
    expect(JSON.parse(stdout).blocks[0]).toMatchObject({ status: 'wrapper-gone', tracker: { type: 'job' } });
    await rig.agentmux('kill-tree', '--block', 'b1').stdout(anything).stderr(anything).run(capMs);
    expect(pidsOf(population).filter(isAlive)).toEqual([]);
  });

  it('ends with it where nothing was to be left', async () => {
    const rig = createRig();
    const { agent, agentPid, wrapper } = await startBlock(rig, 'b1', '--leftovers', 'kill');
    const pids = [agentPid, ...pidsOf(await populate(agent))];
    expect(readRecord(rig, 'b1')?.tracker.job?.flags).toBe(0x2000);
    wrapper.kill('SIGKILL');
    await waitFor('all to end', () => !pids.some(isAlive), capMs);
    await rig
      .agentmux('blocks', '--all')
      .stdout(/b1 .*ended/)
      .run(capMs);
  });
});

describeIf(isWindows, 'needs Windows', 'what is kept of a block', () => {
  it('outlives a wrapper that was to leave nothing, with the name of its job', async () => {
    const rig = createRig();
    const { agent, agentPid, wrapper } = await startBlock(rig, 'b1', '--leftovers', 'kill');
    const child = await agent.start(sleeper, { detached: true });
    await rig.agentmux('keep', String(child)).stdout(anything).stderr(anything).run(capMs);
    const { job } = readRecord(rig, 'b1')?.tracker ?? {};
    expect(job?.flags).toBe(0);
    expect(findJobHandles(child, job?.name ?? '').map(({ access }) => access)).toEqual(keeping);
    wrapper.kill('SIGKILL');
    await wrapper.exited(capMs);
    expect([agentPid, child].every(isAlive)).toBe(true);
    await rig.agentmux('kill-tree', '--block', 'b1').stdout(anything).stderr(anything).run(capMs);
    expect([agentPid, child].map(isAlive)).toEqual([false, true]);
    await rig.agentmux('kill-tree', '--block', 'b1', '--including-kept').stdout(anything).stderr(anything).run(capMs);
    expect(isAlive(child)).toBe(false);
  });
});

describeIf(isWindows, 'needs Windows', 'doctor', () => {
  const command = (bin: string, directory: string) => [
    ...[process.execPath, '-e'],
    `const env = { ...process.env, AGENTMUX_STATE_DIR: process.argv[2] };
     require('child_process').spawnSync(process.execPath, [process.argv[1], 'doctor'], { env, stdio: 'inherit' });`,
    ...[bin, directory],
  ];

  it('tells of the job of somebody else that a run would be in, and not of one of its own', async () => {
    const rig = createRig();
    const other = createRig();
    const told = rig.run('--block', 'b1', '--', ...command(bins.agentmux, other.stateDirectory));
    await told
      .stdout(/because: .* job object of another program .* \[inside-job: /)
      .stderr(anything)
      .run(capMs);
    const own = await rig
      .run('--block', 'b2', '--', ...command(bins.agentmux, rig.stateDirectory))
      .stdout(anything)
      .stderr(anything)
      .run(capMs);
    expect(own.stdout).not.toContain('inside-job');
  });
});

describeIf(isWindows, 'needs Windows', 'a block inside another', () => {
  it('has a job within the job of that, and ends with it', async () => {
    const rig = createRig();
    const { agent, agentPid } = await startBlock(rig, 'outer');
    const inner = await createAgent();
    const run = resolve('bin/agentmux-run.js');
    await agent.start([process.execPath, run, '--block', 'inner', '--', ...inner.argv]);
    const session = await inner.connected();
    const { pid } = await session.inspect();
    await waitFor('the run to be recorded', () => readRecord(rig, 'inner')?.state === 'running', capMs);
    expect(readRecord(rig, 'inner')).toMatchObject({ parentId: 'outer', tracker: { type: 'job' } });
    const names = ['outer', 'inner'].map((id) => readRecord(rig, id)?.tracker.job?.name ?? '');
    expect(ask(names[0] ?? '', 'list').split(' ')).toEqual(expect.arrayContaining([String(pid), String(agentPid)]));
    expect(ask(names[1] ?? '', 'list').split(' ')).not.toContain(String(agentPid));
    await rig.agentmux('kill-tree', '--block', 'outer', '--yes').stdout(anything).stderr(anything).run(capMs);
    expect([agentPid, pid].filter(isAlive)).toEqual([]);
    await rig
      .agentmux('blocks', '--all')
      .stdout(/inner .*ended/)
      .run(capMs);
  });
});

describeIf(isWindows, 'needs Windows', 'the priority of a block', () => {
  it('is a limit beside those of the run, and set on each member', async () => {
    const rig = createRig();
    const { agent, agentPid } = await startBlock(rig, 'b1', '--leftovers', 'kill');
    // What is started later is held to it by Windows; Wine knows the limit and does nothing about it.
    const child = await agent.start(sleeper);
    await rig
      .agentmux('priority', '--block', 'b1', 'below-normal')
      .stdout(/at below-normal priority/)
      .run(capMs);
    expect(readRecord(rig, 'b1')?.tracker.job?.flags).toBe(0x2020);
    expect([agentPid, child].map(priorityClass)).toEqual([0x4000, 0x4000]);
    await rig
      .agentmux('priority', '--block', 'b1', 'normal')
      .stdout(/at normal priority/)
      .run(capMs);
    expect(readRecord(rig, 'b1')?.tracker.job?.flags).toBe(0x2000);
    expect([agentPid, child].map(priorityClass)).toEqual([0x20, 0x20]);
  });
});

describeIf(isWindows, 'needs Windows', "a person's shell", () => {
  it('is in a job, and nothing of it is ended or told of when it exits', async () => {
    const rig = createRig();
    const { agent, agentPid, wrapper } = await startBlock(rig, 'b1', '--terminal', '--leftovers', 'kill');
    expect(readRecord(rig, 'b1')).toMatchObject({ kind: 'terminal', tracker: { type: 'job', job: { flags: 0 } } });
    const child = await agent.start(sleeper, { detached: true });
    agent.exit(3);
    expect(await wrapper.exited(capMs)).toBe(3);
    expect([agentPid, child].map(isAlive)).toEqual([false, true]);
    expect(wrapper.stderr).toBe('');
    await rig.agentmux('kill-tree', '--block', 'b1').stdout(anything).stderr(anything).run(capMs);
    expect(isAlive(child)).toBe(false);
  });
});
