import { describe, expect, it } from 'vitest';
import type { Platform } from '../../src/platform/platform.ts';
import { findPlaceNotes, isInJobOf } from '../../src/trackers/job-place.ts';
import { FakeWindows } from '../helpers/fake-windows.ts';
import { blockRecord } from './block-record.ts';

const TAG = 'cd'.repeat(16);
const NAME = `Global\\agentmux-b-${TAG}`;
const platform = { os: 'win32', isAlive: () => false } as unknown as Platform;

/** A fake in which this process is in a job. */
function insideJob(name: string, flags = 0) {
  const windows = new FakeWindows();
  const job = windows.makeJob(name, flags);
  windows.start(7, job).handles.push(job);
  windows.enter(job);
  return windows;
}

const record = blockRecord({
  id: 'b',
  tag: TAG,
  tracker: {
    ...{ type: 'job', confidence: 'high', reasons: [], cgroupPath: undefined, scope: undefined, subreaper: false },
    job: { name: NAME, flags: 0 },
  },
});

describe('findPlaceNotes', () => {
  const notes = (windows: FakeWindows, records = [record]) =>
    findPlaceNotes(platform, () => records, windows.win32).map(({ code, detail }) => `${code}: ${detail}`);

  it('tells of a job of somebody else, and whether it ends what is in it', () => {
    expect(notes(insideJob('Local\\ci'))).toEqual(['inside-job: it does not end what is in it']);
    expect(notes(insideJob('Local\\ci', 0x2000))).toEqual(['inside-job: it ends what is in it when it is closed']);
  });

  it('says nothing of a job that what we start leaves by itself, of a block of ours, and outside of any', () => {
    expect(notes(insideJob('Local\\node', 0x3800))).toEqual([]);
    expect(notes(insideJob(NAME))).toEqual([]);
    expect(notes(new FakeWindows())).toEqual([]);
    expect(findPlaceNotes({ os: 'linux' } as Platform, () => [])).toEqual([]);
  });
});

describe('isInJobOf', () => {
  it('knows the block that this process is in', () => {
    expect(isInJobOf(record, platform, insideJob(NAME).win32)).toBe(true);
    expect(isInJobOf(record, platform, insideJob('Local\\ci').win32)).toBe(false);
  });
});
