import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { win32 } from '../../src/platform/windows/ffi-call.ts';
import { JobAccess, openJob, readJobAccounting, readJobPids } from '../../src/platform/windows/job-calls.ts';
import { closeHandle } from '../../src/platform/windows/process-calls.ts';
import { describeIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { describeContract } from '../trackers/contract.ts';
import { capMs, sleeper } from './helpers/agent.ts';
import { isAlive } from './helpers/look.ts';
import { pidsOf, populate } from './helpers/population.ts';
import { platform, track, windowsWorld } from './helpers/windows-world.ts';

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

  it('knows what a member started before it ended, though it carries nothing of the block and names a parent that is gone', async () => {
    const { tracker, root, session } = await track('scan');
    const directory = mkdtempSync(join(tmpdir(), 'agentmux-test-'));
    const [go, told] = ['go', 'told'].map((name) => join(directory, name)) as [string, string];
    // It waits until it was seen; what it starts is in no job of libuv's, which would end it.
    const script = `const fs = require('fs'); const [go, told, SYSTEMROOT, ...argv] = process.argv.slice(1);
      const timer = setInterval(() => {
        if (!fs.existsSync(go)) return;
        clearInterval(timer);
        const child = require('child_process').spawn(argv[0], argv.slice(1), {env: {SYSTEMROOT}, detached: true, stdio: 'ignore'});
        fs.writeFileSync(told, String(child.pid)); process.exit();
      }, 50);`;
    const { SYSTEMROOT = 'C:\\windows' } = process.env;
    const ping = join(SYSTEMROOT, 'system32', 'ping.exe');
    const maker = await session.start(
      [process.execPath, '-e', script, go, told, SYSTEMROOT, ping, ...sleeper.slice(1)],
      { detached: true },
    );
    expect(tracker.memberPids()).toEqual(expect.arrayContaining([root.pid, maker]));
    writeFileSync(go, '');
    await waitFor('the maker to end', () => !isAlive(maker), capMs);
    const orphan = Number(readFileSync(told, 'utf8'));
    expect(platform.readEnvironment(orphan)?.join()).not.toContain('AGENTMUX');
    expect(tracker.memberPids()).toContain(orphan);
    expect(await tracker.killTree({ deadlineMs: capMs })).toEqual([]);
    expect([root.pid, orphan].filter(isAlive)).toEqual([]);
    rmSync(directory, { recursive: true });
  });
});
