import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createScanTracker, scanRecord } from '../../src/trackers/scan.ts';
import type { SeenProcess } from '../../src/trackers/scan-members.ts';
import type { ScanSubject } from '../../src/trackers/subject.ts';
import { endProcess, startProcess } from '../helpers/processes.ts';
import { isAlive, readRow } from '../helpers/procfs.ts';
import { describeIf, isLinux } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { describeContract } from './contract.ts';
import { linuxWorld } from './linux-world.ts';
import { identify, platform, track } from './track.ts';

describeIf(isLinux, 'needs procfs', 'the scan tracker', () => {
  describe('by the contract', () => describeContract(linuxWorld('scan')));

  it('keeps a member that lost its tag and its parents once it was seen', async () => {
    const { tracker, pidOf } = await track(
      'scan',
      `bash -c 'env -i sleep 300 & echo shy $!; read <&2' 2<> <(:) & echo mid $!; sleep 300`,
    );
    const shy = await pidOf('shy');
    expect(tracker.memberPids()).toContain(shy);
    endProcess(await pidOf('mid'));
    await waitFor('it to be an orphan', () => readRow(shy)?.ppid !== undefined && !isAlive(0));
    expect(tracker.memberPids()).toContain(shy);
    expect(await tracker.killTree({ deadlineMs: 3000 })).toEqual([]);
    expect(isAlive(shy)).toBe(false);
  });

  it('tells of each new member once', () => {
    const tag = randomBytes(16).toString('hex');
    const { pid } = startProcess('sleep', ['300'], { env: { ...process.env, AGENTMUX_TAG: tag } });
    const seen: SeenProcess[] = [];
    const tracker = scanFor({ tags: new Set([tag]), sinceTicks: 0 }, (members) => seen.push(...members));
    return waitFor('it to be found', () => tracker.memberPids().includes(pid)).then(() => {
      tracker.memberPids();
      expect(seen.map((member) => member.pid)).toEqual([pid]);
    });
  });

  it('does not wake those who were stopped before it froze the rest', async () => {
    const { tracker, root, pidOf } = await track('scan', 'sleep 300 & kill -STOP $!; echo stopped $!; sleep 300');
    const stopped = await pidOf('stopped');
    await waitFor('it to stop', () => readRow(stopped)?.state === 'T');
    tracker.setFrozen(true);
    tracker.setFrozen(false);
    await waitFor('the agent to run', () => readRow(root.pid)?.state === 'S');
    expect(readRow(stopped)?.state).toBe('T');
  });

  it('never signals what is older than the block, though it carries the tag', async () => {
    const tag = randomBytes(16).toString('hex');
    const { pid } = startProcess('sleep', ['300'], { env: { ...process.env, AGENTMUX_TAG: tag } });
    await waitFor('its environment', () => platform.findTag(pid, new Set([tag])));
    const { startTicks } = identify(pid);
    const tracker = scanFor({ tags: new Set([tag]), sinceTicks: startTicks + 1 });
    expect(tracker.memberPids()).toEqual([]);
    await tracker.killTree({ deadlineMs: 1000 });
    expect(isAlive(pid)).toBe(true);
  });

  it('ends what a member starts with a cleared environment while it is being ended', async () => {
    const script = `trap '' TERM; for i in 1 2 3; do setsid bash -c 'while :; do env -i /bin/sleep 0.02; done' & done; echo ready $$; sleep 300`;
    const { tracker, pidOf } = await track('scan', script);
    await pidOf('ready');
    expect(await tracker.killTree({ deadlineMs: 5000 })).toEqual([]);
    expect(tracker.members()).toEqual([]);
  });

  it('gives up in time and names who could not be ended', async () => {
    const agent = spawn('sleep', ['300'], { stdio: 'ignore' });
    onTestFinished(() => void agent.kill('SIGKILL'));
    const root = identify(agent.pid);
    const powerless = { ...platform, signal: () => 'denied' as const };
    const tracker = createScanTracker({
      record: scanRecord([]),
      platform: powerless,
      subject: () => ({ tags: new Set(), roots: [root], wrappers: [], recorded: [], sinceTicks: root.startTicks }),
      openPids: () => ({ list: () => [root.pid], last: () => undefined, close: () => undefined }),
    });
    expect((await tracker.killTree({ deadlineMs: 2000 })).map((member) => member.pid)).toEqual([root.pid]);
  });
});

function scanFor(subject: Partial<ScanSubject>, onSeen?: (members: readonly SeenProcess[]) => void) {
  return createScanTracker({
    record: scanRecord([]),
    platform,
    onSeen,
    subject: () => ({ tags: new Set(), roots: [], wrappers: [], recorded: [], sinceTicks: 0, ...subject }),
    openPids: () => ({
      list: () => platform.readTable().map((stat) => stat.pid),
      last: () => undefined,
      close: () => undefined,
    }),
  });
}
