import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { BlockRecord } from '../../src/model/block.ts';
import { moveProcess } from '../../src/platform/linux/cgroup-fs.ts';
import { groupName } from '../../src/trackers/group-name.ts';
import { sweepGroups } from '../../src/trackers/sweep.ts';
import { canMakeGroups, makeGroup } from '../helpers/cgroup.ts';
import { startSleeper } from '../helpers/processes.ts';
import { describeIf } from '../helpers/skip.ts';
import { blockRecord } from './block-record.ts';
import { identify, platform } from './track.ts';

const tag = '0a1b2c3d'.repeat(4);
const { machineId } = platform.host();

describeIf(canMakeGroups(), 'needs a writable cgroup v2 group', 'sweepGroups', () => {
  const live = identify(process.pid);
  const dead = { ...live, startTicks: live.startTicks - 1 };

  /** Sweeps a directory with the one group of block `b` in it; true if the group is still there. */
  function survives(records: readonly BlockRecord[], nowMs = Date.now(), arrange?: (group: string) => void): boolean {
    const directory = makeGroup();
    const group = join(directory, groupName('b', tag));
    mkdirSync(join(group, 'inner'), { recursive: true });
    arrange?.(group);
    const removed = sweepGroups({ platform, records, nowMs, directory });
    expect(removed).toBe(existsSync(group) ? 0 : 1);
    return existsSync(group);
  }

  it('removes an empty group, with those in it, whose wrapper is dead', () => {
    expect(survives([blockRecord({ tag, machineId, wrapper: dead })])).toBe(false);
    const boot = { ...live, bootId: 'before', pidNamespace: 'other' };
    expect(survives([blockRecord({ tag, machineId, wrapper: boot })])).toBe(false);
  });

  it('leaves a group whose wrapper lives or cannot be judged from here', () => {
    expect(survives([blockRecord({ tag, machineId, wrapper: live })])).toBe(true);
    expect(survives([blockRecord({ tag, machineId: 'other', wrapper: dead })])).toBe(true);
    const foreign = { ...dead, pidNamespace: 'other' };
    expect(survives([blockRecord({ tag, machineId, wrapper: foreign })])).toBe(true);
  });

  it('leaves a group in which somebody lives', () => {
    const { pid } = startSleeper();
    const fill = (group: string) => void moveProcess(pid, join(group, 'inner'));
    expect(survives([blockRecord({ tag, machineId, wrapper: dead })], Date.now(), fill)).toBe(true);
  });

  it('removes a group of which there is no record only when it is old', () => {
    expect(survives([])).toBe(true);
    expect(survives([blockRecord({ tag: 'ff'.repeat(16), machineId, wrapper: live })])).toBe(true);
    expect(survives([], Date.now() + 61_000)).toBe(false);
  });

  it('leaves groups of other names alone, and does not mind a directory that is not there', () => {
    const directory = makeGroup();
    mkdirSync(join(directory, 'agentmux-notes'));
    mkdirSync(join(directory, 'other'));
    expect(sweepGroups({ platform, records: [], nowMs: Date.now() + 61_000, directory })).toBe(0);
    expect(existsSync(join(directory, 'agentmux-notes'))).toBe(true);
    expect(sweepGroups({ platform, records: [], nowMs: 0, directory: '/nonexistent' })).toBe(0);
  });
});
