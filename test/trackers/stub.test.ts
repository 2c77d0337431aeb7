import { describe, expect, it } from 'vitest';
import { createStubTracker, stubRecord } from '../../src/trackers/stub.ts';

const tracker = createStubTracker(stubRecord([{ code: 'terminal', detail: "a person's shell" }]));
const nobody = { pid: 4_000_000, startTicks: 1, bootId: 'b', pidNamespace: 'n' };

describe('the stub tracker', () => {
  it('lists nothing, with no confidence, and says why', () => {
    expect(tracker.members()).toEqual([]);
    expect(tracker.memberPids()).toEqual([]);
    expect(tracker.confidence).toBe('none');
    expect(tracker.record.reasons.map((reason) => reason.code)).toEqual(['terminal']);
  });

  it('starts the agent as it is', () => {
    expect(tracker.spawnInside(() => 42)).toBe(42);
  });

  it('signals nobody and never says that it did', async () => {
    expect(tracker.killPid(nobody)).toBe('not-member');
    expect(tracker.terminate()).toBe(false);
    expect(tracker.setFrozen(true)).toBe(false);
    expect(tracker.setBelowNormalPriority(true)).toEqual({ done: [], refused: [], isLimit: false });
    expect(await tracker.killTree({ deadlineMs: 100 })).toEqual([]);
    expect(tracker.cpuTimeNs()).toBeUndefined();
    expect(tracker.oomKills()).toBeUndefined();
  });
});
