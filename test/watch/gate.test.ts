import { dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { moveToKept, removeKeptGroups } from '../../src/trackers/kept-group.ts';
import { findGates, readGates } from '../../src/watch/gate.ts';
import { canMakeGroups } from '../helpers/cgroup.ts';
import { endProcess, startSleeper } from '../helpers/processes.ts';
import { describeIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { blockRecord } from '../trackers/block-record.ts';
import { type Tracked, track } from '../trackers/track.ts';

function recordOf({ tracker, tag }: Tracked) {
  return blockRecord({ id: 'contract', tag, tracker: tracker.record });
}

/** A block with a process that is kept, ended when the test has finished. */
async function startKept() {
  const tracked = await track('cgroup', 'echo ready $$; sleep 300');
  await tracked.pidOf('ready');
  const record = recordOf(tracked);
  const { pid } = startSleeper();
  onTestFinished(async () => {
    endProcess(pid);
    await waitFor('the kept group to be empty', () => removeKeptGroups(record) && findGates(record, []).length < 2);
  });
  expect(moveToKept(record, () => [pid])).toBe(true);
  return { ...tracked, record, pid };
}

describeIf(canMakeGroups(), 'needs a cgroup of its own', 'the gates of a block', () => {
  it('tell of its own group, and of nothing where it has none', async () => {
    const tracked = await track('cgroup', 'sleep 300');
    const record = recordOf(tracked);
    expect(findGates(record, [])).toEqual([tracked.tracker.record.cgroupPath]);
    expect(readGates(findGates(record, [])).procs.split('\n')).toContain(String(tracked.root.pid));
    expect(findGates(blockRecord(), [])).toEqual([]);
    expect(readGates([]).cpuUsec).toBeUndefined();
  });

  it('tell of what is kept, which lies beside it, and count what it uses', async () => {
    const { record, root, pid } = await startKept();
    const [own = '', kept = ''] = findGates(record, []);
    expect(dirname(kept)).toBe(dirname(own));
    const { procs, cpuUsec } = readGates([own, kept]);
    expect(procs.split(/[\n;]/)).toEqual(expect.arrayContaining([String(root.pid), String(pid)]));
    expect(cpuUsec).toBeGreaterThanOrEqual(readGates([own]).cpuUsec ?? Number.NaN);
  });
});
