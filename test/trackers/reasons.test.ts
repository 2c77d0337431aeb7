import { describe, expect, it } from 'vitest';
import { adviseOn, listReasonCodes, type ReasonFacts } from '../../src/trackers/reasons.ts';

const facts: ReasonFacts = {
  uid: 1000,
  user: 'dev',
  mountPoint: '/sys/fs/cgroup',
  ownGroup: '/sys/fs/cgroup/a',
  domainGroup: '/sys/fs/cgroup',
  unit: 'work.service',
};

/** What nothing typed here could change. */
const hopeless = [
  ...['terminal', 'not-linux', 'not-windows', 'kernel-too-old'],
  ...['wsl-interop', 'no-ps', 'read-by-ps', 'read-by-last-resort', 'hidden-environment', 'no-subreaper', 'no-adoption'],
  ...['job-failed', 'job-refused', 'job-gone', 'job-foreign', 'inside-job'],
];

describe('adviseOn', () => {
  it.each(listReasonCodes())('has a sentence for %s, and a command unless nothing helps', (code) => {
    const { sentence, command } = adviseOn({ code, detail: 'agentmux-b-0a1b2c3d' }, facts);
    expect(sentence).toMatch(/^[a-z/].*[^.]$/);
    expect(command === undefined).toBe(hopeless.includes(code));
    expect(command ?? '').not.toContain('undefined');
  });

  it.each(listReasonCodes())('asks root for no sudo: %s', (code) => {
    expect(adviseOn({ code, detail: '' }, { ...facts, uid: 0 }).command ?? '').not.toMatch(/^sudo /);
  });

  it('tells a reason of a newer version by its detail', () => {
    expect(adviseOn({ code: 'from-tomorrow', detail: 'something new' }, facts)).toEqual({
      sentence: 'something new',
      command: undefined,
    });
    expect(adviseOn({ code: 'toString', detail: 'x' }, facts).sentence).toBe('x');
  });

  it('keeps a path with blanks in one piece', () => {
    const { command } = adviseOn({ code: 'read-only', detail: '' }, { ...facts, mountPoint: '/mnt/a b' });
    expect(command).toBe('sudo mount -o remount,rw,bind "/mnt/a b"');
  });
});
