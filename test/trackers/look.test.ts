import { expect, it } from 'vitest';
import { createLinuxPlatform } from '../../src/platform/linux/linux-platform.ts';
import type { KnownTags } from '../../src/trackers/look.ts';
import { takeLook } from '../../src/trackers/look.ts';
import { startSleeper } from '../helpers/processes.ts';
import { describeIf, isLinux } from '../helpers/skip.ts';
import { blockRecord } from './block-record.ts';

describeIf(isLinux, 'needs procfs', 'takeLook', () => {
  it('reads the environment of an identity once over several looks, and of another one with its pid again', () => {
    const linux = createLinuxPlatform();
    const { pid } = startSleeper();
    const asked: number[] = [];
    const platform = {
      ...linux,
      findTag: (...args: Parameters<typeof linux.findTag>) => {
        asked.push(args[0]);
        return linux.findTag(...args);
      },
    };
    const known: KnownTags = new Map();
    const records = [blockRecord()];
    for (let round = 0; round < 3; round += 1) {
      const look = takeLook(platform, records, known);
      const stat = look.stat(pid);
      expect(stat && look.tagOf(stat)).toBeUndefined();
    }
    expect(asked).toEqual([pid]);
    const stat = linux.readStat(pid);
    if (stat !== undefined) takeLook(platform, records, known).tagOf({ ...stat, startTicks: stat.startTicks + 1 });
    expect(asked).toEqual([pid, pid]);
  });
});
