import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCgroupTracker } from '../../src/trackers/cgroup.ts';
import { killGroupTree } from '../../src/trackers/cgroup-kill.ts';
import { canMakeGroups } from '../helpers/cgroup.ts';
import { startSleeper } from '../helpers/processes.ts';
import { isAlive } from '../helpers/procfs.ts';
import { describeIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { describeContract } from './contract.ts';
import { linuxWorld } from './linux-world.ts';
import { identify, platform, track } from './track.ts';

describeIf(canMakeGroups(), 'needs a writable cgroup v2 group', 'the cgroup tracker', () => {
  describe('by the contract', () => describeContract(linuxWorld('cgroup')));

  it('keeps a member that forked twice and cleared its environment', async () => {
    const { tracker, pidOf } = await track(
      'cgroup',
      `(setsid env -i /bin/sh -c 'echo lost $$; sleep 300' &); sleep 300`,
    );
    const lost = await pidOf('lost');
    expect(tracker.memberPids()).toContain(lost);
    expect(await tracker.killTree({ deadlineMs: 3000 })).toEqual([]);
    expect(isAlive(lost)).toBe(false);
  });

  it('counts the CPU of members that have exited', async () => {
    const { tracker, child } = await track('cgroup', 'i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done');
    await waitFor('it to end', () => child.exitCode === 0);
    expect(tracker.memberPids()).toEqual([]);
    expect(tracker.cpuTimeNs()).toBeGreaterThan(1_000_000);
  });

  it('lists members of groups that the agent made below its own, ends them and removes their groups', async () => {
    const script = `C=$1; mkdir -p "$GROUP/inner/deep"; echo $$ > "$GROUP/inner/deep/cgroup.procs"; echo ready $$; sleep 300`;
    const { tracker, root, pidOf } = await track('cgroup', `${OWN_GROUP}; ${script}`);
    await pidOf('ready');
    expect(tracker.memberPids()).toContain(root.pid);
    expect(await tracker.killTree({ deadlineMs: 3000 })).toEqual([]);
    await waitFor('the groups to go', () => {
      tracker.dispose();
      return !existsSync(tracker.record.cgroupPath ?? '');
    });
  });

  it('ends members in a group that was frozen, and thaws one before it asks', async () => {
    const script = `mkdir "$GROUP/ice"; sleep 300 & echo cold $!; echo $! > "$GROUP/ice/cgroup.procs"; echo 1 > "$GROUP/ice/cgroup.freeze"; echo ready $$; exec sleep 300`;
    const { tracker, pidOf } = await track('cgroup', `${OWN_GROUP}; ${script}`);
    await pidOf('ready');
    const cold = await pidOf('cold');
    expect(tracker.terminate()).toBe(true);
    await waitFor('the frozen one to end', () => !isAlive(cold));
  });

  // Fixture for an old kernel: the group is killed as where cgroup.kill is missing, by hiding it from one call.
  it('ends all members where cgroup.kill cannot be used, forkers and frozen ones included', async () => {
    const script = `mkdir "$GROUP/ice"; sleep 300 & echo cold $!; echo $! > "$GROUP/ice/cgroup.procs"; echo 1 > "$GROUP/ice/cgroup.freeze"
      for i in 1 2 3 4 5; do setsid bash -c 'f() { sleep 0.01; f & }; f' & done; echo ready $$; sleep 300`;
    const { tracker, pidOf } = await track('cgroup', `${OWN_GROUP}; ${script}`);
    await pidOf('ready');
    const spared = new Set([await pidOf('cold')]);
    // Sparing a member rules cgroup.kill out; then nobody is left to spare.
    await tracker.killTree({ deadlineMs: 3000, spare: spared });
    expect(tracker.memberPids()).toEqual([...spared]);
  });

  it('gives up in time on members that may not be signalled, and names them', async () => {
    const { tracker, root } = await track('cgroup', 'exec sleep 300');
    const group = tracker.record.cgroupPath ?? '';
    const asked: number[] = [];
    const stat = () => platform.readStat(root.pid);
    await killGroupTree({
      group,
      deadlineMs: 2000,
      spare: new Set([root.pid]),
      identified: () => [stat()].filter((one) => one !== undefined),
      signal: ({ pid }) => {
        asked.push(pid);
        return 'denied';
      },
    });
    expect(asked).toEqual([]);
    expect(isAlive(root.pid)).toBe(true);
  });

  it('assigns a process that lives elsewhere', async () => {
    const { tracker } = await track('cgroup', 'sleep 300');
    const stray = startSleeper();
    tracker.assign(identify(stray.pid));
    expect(tracker.memberPids()).toContain(stray.pid);
  });

  it('is empty, and does nothing, once its group is gone', async () => {
    const record = { type: 'cgroup', confidence: 'high', reasons: [], cgroupPath: '/gone', scope: undefined } as const;
    const tracker = createCgroupTracker({ record: { ...record, subreaper: false }, platform, enclosure: undefined });
    expect(tracker.members()).toEqual([]);
    expect(await tracker.killTree({ deadlineMs: 100 })).toEqual([]);
    expect(tracker.killPid(identify(process.pid))).toBe('not-member');
    expect(tracker.terminate()).toBe(false);
    expect(() => tracker.spawnInside(() => undefined)).toThrow('cannot be entered');
  });

  it('thaws a group that was left frozen before it goes into it again', async () => {
    const first = await track('cgroup', 'sleep 300');
    const group = first.tracker.record.cgroupPath ?? '';
    writeFileSync(`${group}/cgroup.freeze`, '1');
    const { planChildGroup } = await import('../../src/trackers/plan-cgroup.ts');
    const { findOwnGroup } = await import('../../src/platform/linux/cgroup-mount.ts');
    const own = findOwnGroup();
    if (own.status !== 'found') throw new Error('no group of our own');
    const again = await planChildGroup({ platform, blockId: 'contract', tag: first.tag, reasons: [], own }).create();
    expect(again.record.cgroupPath).toBe(group);
    expect(readFileSync(`${group}/cgroup.freeze`, 'utf8').trim()).toBe('0');
  });
});

// The group of the script, wherever the hierarchy is mounted.
const OWN_GROUP = `GROUP=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)$(sed -n s/^0:://p /proc/self/cgroup)`;
