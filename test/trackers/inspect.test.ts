import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BlockRecord } from '../../src/model/block.ts';
import { type InspectDeps, inspectBlock, inspectBlocks } from '../../src/trackers/inspect.ts';
import { openTracker } from '../../src/trackers/select.ts';
import { canMakeGroups, makeGroup } from '../helpers/cgroup.ts';
import { startProcess } from '../helpers/processes.ts';
import { isAlive, readRow } from '../helpers/procfs.ts';
import { describeIf, isLinux, isRoot, itIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { blockRecord, type RecordParts } from './block-record.ts';
import { identify, platform, type Tracked, track, zombie } from './track.ts';

const deps: InspectDeps = { platform, recorded: () => [], records: [] };

/** The record that a run would have written. The test is its wrapper, unless `wrapper` says who. */
function recordOf(tracked: Tracked, parts: RecordParts = {}): BlockRecord {
  const { tracker, root, tag } = tracked;
  const { machineId } = platform.host();
  return blockRecord({
    id: 'contract',
    tag,
    machineId,
    tracker: tracker.record,
    root,
    wrapper: identify(process.pid),
    ...parts,
  });
}

const script = 'sleep 300 & echo tool $!; sleep 300 & echo other $!; wait';

describeIf(isLinux, 'needs procfs', 'inspectBlock', () => {
  describe.each(canMakeGroups() ? (['cgroup', 'scan'] as const) : (['scan'] as const))('by %s', (type) => {
    it('shows the members with their roles, and that the block runs', async () => {
      const tracked = await track(type, script);
      const [tool, other] = [await tracked.pidOf('tool'), await tracked.pidOf('other')];
      const view = inspectBlock(recordOf(tracked), deps);
      expect(view.status).toBe('running');
      expect(view.wrapperAlive).toBe(true);
      const roles = new Map(view.members.map((member) => [member.pid, member.role]));
      expect([tracked.root.pid, tool, other].map((pid) => roles.get(pid))).toEqual(['root', 'started', 'started']);
      expect(view.members.find((member) => member.pid === tool)?.argv).toEqual(['sleep', '300']);
      expect(view.members.every((member) => !member.escaped)).toBe(true);
      expect(view.cpuIncludesExited).toBe(type === 'cgroup');
      expect(view.cpuMs).toBeGreaterThanOrEqual(0);
    });

    it('says that the wrapper is gone, and what is left of an ended run', async () => {
      const tracked = await track(type, script);
      await tracked.pidOf('other');
      const dead = { ...identify(process.pid), startTicks: tracked.root.startTicks - 1 };
      expect(inspectBlock(recordOf(tracked, { wrapper: dead }), deps).status).toBe('wrapper-gone');
      expect(inspectBlock(recordOf(tracked, { wrapper: dead, state: 'ended' }), deps).status).toBe('leftovers');
      await tracked.tracker.killTree({ deadlineMs: 5000 });
      const view = inspectBlock(recordOf(tracked, { wrapper: dead, state: 'ended' }), deps);
      expect(view).toMatchObject({ status: 'ended', members: [] });
    });

    it('takes what the wrapper has just started for the agent before it is recorded, and after that nothing else', async () => {
      const tracked = await track(type, script);
      const tool = await tracked.pidOf('tool');
      const record = recordOf(tracked);
      const early = { ...record, runs: record.runs.map((run) => ({ ...run, root: undefined })) };
      const roles = (one: BlockRecord) =>
        new Map(inspectBlock(one, deps).members.map((member) => [member.pid, member.role]));
      expect([tracked.root.pid, tool].map((pid) => roles(early).get(pid))).toEqual(['root', 'started']);
      const other = { ...tracked.root, startTicks: tracked.root.startTicks - 1 };
      const late = { ...record, runs: record.runs.map((run) => ({ ...run, root: other })) };
      expect(roles(late).get(tracked.root.pid)).toBe('started');
    });

    it('folds zombies below their parent', async () => {
      const three = [1, 2, 3].map((n) => zombie(`z${n}`)).join('; ');
      const tracked = await track(type, `${three}; exec sleep 300`);
      const pids = await Promise.all([1, 2, 3].map((n) => tracked.pidOf(`z${n}`)));
      await waitFor('the zombies', () => pids.every((pid) => readRow(pid)?.state === 'Z'));
      const view = inspectBlock(recordOf(tracked), deps);
      expect(view.zombies.get(tracked.root.pid)).toBe(3);
      expect(view.members.map((member) => member.pid)).toEqual([tracked.root.pid]);
    });
  });

  it('neither lists nor judges what is elsewhere, of another boot, or not tracked', async () => {
    const tracked = await track('scan', script);
    await tracked.pidOf('other');
    const record = recordOf(tracked);
    const foreign = { ...identify(process.pid), pidNamespace: 'other' };
    const before = { ...identify(process.pid), bootId: 'before' };
    const stub = { ...record.tracker, type: 'stub', confidence: 'none' } as const;
    expect(inspectBlock({ ...record, machineId: 'other' }, deps)).toMatchObject({ status: 'elsewhere', members: [] });
    expect(inspectBlock(recordOf(tracked, { wrapper: foreign }), deps)).toMatchObject({
      status: 'elsewhere',
      members: [],
    });
    expect(inspectBlock(recordOf(tracked, { wrapper: before }), deps)).toMatchObject({ status: 'ended', members: [] });
    expect(inspectBlock({ ...record, tracker: stub }, deps)).toMatchObject({ status: 'running', members: [] });
  });

  it('reads no environment of what is older than the block', async () => {
    const tracked = await track('scan', script);
    await tracked.pidOf('other');
    const asked: number[] = [];
    const watched = {
      ...platform,
      findTag: (pid: number, tags: ReadonlySet<string>) => {
        asked.push(pid);
        return platform.findTag(pid, tags);
      },
    };
    const dead = { ...tracked.root, startTicks: tracked.root.startTicks - 1 };
    inspectBlock(recordOf(tracked, { wrapper: dead }), { ...deps, platform: watched });
    expect(asked).not.toContain(1);
    expect(asked).not.toContain(process.pid);
    expect(asked).not.toContain(tracked.root.pid);
  });

  describeIf(canMakeGroups(), 'needs a writable cgroup v2 group', 'the second net', () => {
    itIf(isRoot, 'needs root', 'shows what left the group as escaped: by descent, or by the tag alone', async () => {
      const refuge = makeGroup();
      const flee = `sleep 300 & echo escaped $!; echo $! > ${refuge}/cgroup.procs; sleep 300`;
      const tracked = await track('cgroup', flee);
      const escaped = await tracked.pidOf('escaped');
      await waitFor('the escape', () => !tracked.tracker.memberPids().includes(escaped));
      const dead = { ...identify(process.pid), startTicks: tracked.root.startTicks - 1 };
      const stray = startProcess('sleep', ['300'], { env: { ...process.env, AGENTMUX_TAG: tracked.tag } });
      await waitFor('the tag', () => platform.findTag(stray.pid, new Set([tracked.tag])));
      const view = inspectBlock(recordOf(tracked, { wrapper: dead }), deps);
      const seen = new Map(view.members.map((member) => [member.pid, member]));
      expect(seen.get(tracked.root.pid)).toMatchObject({ source: 'enclosure', escaped: false, confidence: 'high' });
      expect(seen.get(escaped)).toMatchObject({ source: 'descent', escaped: true, confidence: 'best_effort' });
      expect(seen.get(stray.pid)).toMatchObject({ source: 'tag', escaped: true, confidence: 'best_effort' });
      expect(view.cpuIncludesExited).toBe(false);
    });

    it('takes the wrapper for no member, which is in the group while it starts the agent', async () => {
      const tracked = await track('cgroup', script);
      await tracked.pidOf('other');
      const wrapper = startProcess('sleep', ['300']);
      writeFileSync(join(tracked.tracker.record.cgroupPath ?? '', 'cgroup.procs'), String(wrapper.pid));
      expect(tracked.tracker.memberPids()).toContain(wrapper.pid);
      const view = inspectBlock(recordOf(tracked, { wrapper: identify(wrapper.pid) }), deps);
      expect(view.members.map(({ pid }) => pid)).not.toContain(wrapper.pid);
      expect(view.members).toHaveLength(3);
    });

    it('takes nobody for escaped who was born in the group while it was read', async () => {
      const tracked = await track('cgroup', 'echo ready $$; while :; do /bin/true; done');
      await tracked.pidOf('ready');
      for (let i = 0; i < 40; i += 1) {
        const view = inspectBlock(recordOf(tracked), deps);
        expect(view.members.filter((member) => member.escaped)).toEqual([]);
      }
    });

    it('counts the members of a child block, whose own group lies elsewhere, and ends them with the parent', async () => {
      const parent = await track('scan', script);
      await parent.pidOf('other');
      const child = await track('cgroup', '(setsid env -i /bin/sleep 300 & echo lost $!); sleep 300');
      const lost = await child.pidOf('lost');
      const records = [recordOf(parent, { id: 'parent' }), recordOf(child, { parentId: 'parent' })];
      const [view] = inspectBlocks(records, { ...deps, records });
      expect(view?.members.map((member) => member.pid)).toContain(lost);
      const tracker = openTracker(records[0] as BlockRecord, { platform, records });
      expect(tracker.memberPids()).toEqual(expect.arrayContaining([lost, parent.root.pid]));
      expect(await tracker.killTree({ deadlineMs: 5000 })).toEqual([]);
      expect([lost, child.root.pid, parent.root.pid].filter(isAlive)).toEqual([]);
    });

    it("opens no group that does not carry the block's nonce", async () => {
      const foreign = join(makeGroup(), 'agentmux-contract-00000000');
      mkdirSync(foreign);
      const tracked = await track('cgroup', 'sleep 300');
      const lying = { ...tracked.tracker.record, cgroupPath: foreign };
      expect(openTracker(recordOf(tracked, { tracker: lying }), { platform }).memberPids()).toEqual([]);
    });

    it('shows a member that cannot be looked at by its pid alone', async () => {
      const tracked = await track('cgroup', script);
      const hidden = await tracked.pidOf('other');
      const half = { ...platform, readStat: (pid: number) => (pid === hidden ? undefined : platform.readStat(pid)) };
      const hiding = { ...half, readTable: () => platform.readTable().filter((stat) => stat.pid !== hidden) };
      const view = inspectBlock(recordOf(tracked), { ...deps, platform: hiding });
      const member = view.members.find(({ pid }) => pid === hidden);
      expect(member).toMatchObject({ startTicks: undefined, stat: undefined, source: 'enclosure' });
    });
  });
});
