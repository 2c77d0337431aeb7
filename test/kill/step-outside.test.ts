import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stepOutside } from '../../src/kill/step-outside.ts';
import type { BlockRecord } from '../../src/model/block.ts';
import { createLinuxPlatform } from '../../src/platform/linux/linux-platform.ts';
import { groupName } from '../../src/trackers/group-name.ts';
import { openTracker } from '../../src/trackers/select.ts';
import { canMakeGroups, endGroup, findOwnGroup } from '../helpers/cgroup.ts';
import { describeIf } from '../helpers/skip.ts';

const enter = (group: string) => writeFileSync(join(group, 'cgroup.procs'), String(process.pid));

/** A block with an empty enclosure below our own group, and its tracker. */
function makeBlock(facts: { readonly tag?: string } = {}) {
  const own = findOwnGroup() ?? '';
  const id = `step-${process.pid}`;
  const tag = 'abcdef0123456789';
  const cgroupPath = join(own, groupName(id, tag));
  mkdirSync(cgroupPath);
  onTestFinished(async () => {
    enter(own);
    await endGroup(cgroupPath);
  });
  const tracker = { type: 'cgroup', confidence: 'high', reasons: [], cgroupPath };
  const record = { id, tag: facts.tag ?? tag, machineId: 'm', runs: [], tracker } as unknown as BlockRecord;
  return { own, cgroupPath, record, tracker: openTracker(record, { platform: createLinuxPlatform() }) };
}

describeIf(canMakeGroups(), 'needs a cgroup2 that we may change', 'stepOutside', () => {
  it('stays where it is, outside', () => {
    const { record, tracker, own } = makeBlock();
    expect(stepOutside(record, tracker)).toBe('outside');
    expect(findOwnGroup()).toBe(own);
  });

  it('moves into the group above, also from a group within the enclosure', () => {
    const { record, tracker, own, cgroupPath } = makeBlock();
    const inner = join(cgroupPath, 'agent');
    mkdirSync(inner);
    for (const group of [cgroupPath, inner]) {
      enter(group);
      expect(stepOutside(record, tracker)).toBe('moved');
      expect(findOwnGroup()).toBe(own);
    }
  });

  it('does not leave a group that is not the block’s own', () => {
    const { record, cgroupPath } = makeBlock({ tag: '0123456789abcdef' });
    enter(cgroupPath);
    const tracker = { type: 'cgroup', memberPids: () => [process.pid] } as never;
    expect(stepOutside(record, tracker)).toBe('inside');
    expect(basename(findOwnGroup() ?? '')).toBe(basename(cgroupPath));
    expect(dirname(cgroupPath)).not.toBe(findOwnGroup());
  });

  it('says that there is nothing to leave by scan', () => {
    const { record } = makeBlock();
    expect(stepOutside(record, { type: 'scan', memberPids: () => [process.pid] } as never)).toBe('inside');
  });
});
