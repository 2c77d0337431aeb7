import { describe, expect, it } from 'vitest';
import { win32 } from '../../src/platform/windows/ffi-call.ts';
import { JobAccess, openJob, readJobAccounting, readJobPids } from '../../src/platform/windows/job-calls.ts';
import { closeHandle } from '../../src/platform/windows/process-calls.ts';
import { describeIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { describeContract } from '../trackers/contract.ts';
import { capMs } from './helpers/agent.ts';
import { isAlive } from './helpers/look.ts';
import { pidsOf, populate } from './helpers/population.ts';
import { track, windowsWorld } from './helpers/windows-world.ts';

const isWindows = process.platform === 'win32';

describeIf(isWindows, 'needs Windows', 'the job tracker', () => {
  describe('by the contract', () => describeContract(windowsWorld('job')));

  it('lets nothing escape: not what is detached, without our variables, an orphan, or asks to break away', async () => {
    const { tracker, root, session } = await track('job');
    const population = await populate(session);
    const expected = [root.pid, ...pidsOf(population)];
    expect(tracker.memberPids()).toEqual(expect.arrayContaining(expected));
    expect(await tracker.killTree({ deadlineMs: capMs })).toEqual([]);
    expect(expected.filter(isAlive)).toEqual([]);
  });

  it('goes by a name while anything of it lives, though nobody but its members holds it', async () => {
    const { tracker, root, session } = await track('job');
    const population = await populate(session);
    const name = tracker.record.job?.name ?? '';
    tracker.dispose();
    session.exit(0);
    await waitFor('the agent to end', () => !isAlive(root.pid), capMs);
    const job = openJob(win32, name, JobAccess.query);
    expect(job).toBeDefined();
    expect(readJobPids(win32, job ?? 0)).toContain(population.orphan);
    expect(readJobAccounting(win32, job ?? 0).activeProcesses).toBeGreaterThanOrEqual(4);
    closeHandle(win32, job ?? 0);
  });
});

describeIf(isWindows, 'needs Windows', 'the scan tracker', () => {
  describe('by the contract', () => describeContract(windowsWorld('scan')));
});
