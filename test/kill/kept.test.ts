import { describe, expect, it } from 'vitest';
import { findKept, findPattern, type KeptInput } from '../../src/kill/kept.ts';
import { makeMark } from '../../src/kill/kept-marks.ts';
import type { KeptMark } from '../../src/model/entry.ts';
import { agent, member } from '../calls/entry-world.ts';

const mark: KeptMark = {
  ...{ entryId: 'p1', bootId: 'boot', members: [{ pid: 200, startTicks: 200 }], sessions: [] },
  ...{ command: 'sleep', note: 'mine', keptAtMs: 1 },
};

function find(facts: Partial<KeptInput>) {
  return findKept({ members: [], marks: [], groupPids: new Set(), bootId: 'boot', patterns: [], ...facts });
}

describe('what is kept', () => {
  it('is a marked process with all below it, and nothing above or beside it', () => {
    const shell = member({ pid: 199, ppid: 100 });
    const members = [
      agent,
      shell,
      member({ pid: 200, ppid: 199 }),
      member({ pid: 201, ppid: 200 }),
      member({ pid: 202, ppid: 199 }),
    ];
    const kept = find({ members, marks: [mark] });
    expect([...kept.keys()]).toEqual([200, 201]);
    expect(kept.get(201)).toEqual({ by: 'mark', note: 'mine', entryId: 'p1' });
  });

  it('is what is in a session of its own, also when its first process has gone', () => {
    const sessions = [{ number: 200, sinceTicks: 200 }];
    const members = [agent, member({ pid: 250, sid: 200 }), member({ pid: 251, sid: 201 })];
    expect([...find({ members, marks: [{ ...mark, sessions }] }).keys()]).toEqual([250]);
    const reused = [member({ pid: 200, sid: 200, startTicks: 900 })];
    expect(find({ members: reused, marks: [{ ...mark, sessions }] }).size).toBe(0);
  });

  it('is not all that has no session, where one of them was marked', () => {
    const members = [member({ pid: 200, sid: 0 }), member({ pid: 250, sid: 0 })];
    const request = { members, entryId: 'p1', command: undefined, note: undefined, bootId: 'boot', nowMs: 1 };
    const made = makeMark({ ...request, chosen: members.slice(0, 1) });
    expect([...find({ members, marks: [made] }).keys()]).toEqual([200]);
  });

  it('is what is in the group of what is kept', () => {
    const members = [agent, member({ pid: 300 })];
    expect([...find({ members, marks: [], groupPids: new Set([300]) }).keys()]).toEqual([300]);
  });

  it('is not what got the pid later, nor of an earlier boot', () => {
    const members = [agent, member({ pid: 200, startTicks: 900 })];
    expect(find({ members, marks: [mark] }).size).toBe(0);
    expect(find({ members: [member({ pid: 200 })], marks: [mark], bootId: 'other' }).size).toBe(0);
  });

  it('is what the configuration names, but never the agent', () => {
    const daemon = member({ pid: 200, argv: ['/usr/bin/gradle-daemon', '7'] });
    const kept = find({ members: [agent, daemon, member({ pid: 201, ppid: 200 })], patterns: ['claude', 'gradle*'] });
    expect([...kept]).toEqual(
      [200, 201].map((pid) => [pid, { by: 'configuration', note: 'gradle*', entryId: undefined }]),
    );
  });

  it.each([
    ['node', ['node', '/a/nx/daemon.js'], true],
    ['daemon', ['node', '/a/nx/daemon.js'], true],
    ['*nx/daemon*', ['node', '/a/nx/daemon.js'], true],
    ['java', ['java', '-jar', 'x.jar'], true],
    ['java -jar x*', ['java', '-jar', 'x.jar'], true],
    ['java -jar', ['java', '-jar', 'x.jar'], false],
  ])('the pattern %j names %j: %j', (pattern, argv, names) => {
    const process = { ...member({ pid: 200, argv }), exe: `/usr/bin/${argv[0]}` };
    expect(findPattern(process, [pattern])).toBe(names ? pattern : undefined);
  });
});
