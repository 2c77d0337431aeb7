import fc from 'fast-check';
import type { BlockRecord, RunRecord, TrackerRecord } from '../../src/model/block.ts';
import type { Identity } from '../../src/model/identity.ts';
import { isValidBlockId } from '../../src/state/ids.ts';

const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.replaceAll('\0', ''));
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const timeMs = fc.integer({ min: 0, max: 8.64e15 });
const pid = (min: number) => fc.integer({ min, max: 0xffff_ffff });

const identity = (minPid: number): fc.Arbitrary<Identity> =>
  fc.record({
    pid: pid(minPid),
    startTicks: fc.oneof(fc.nat(), fc.maxSafeNat()),
    bootId: text,
    pidNamespace: text,
  });

const tracker: fc.Arbitrary<TrackerRecord> = fc.record(
  {
    type: fc.constantFrom('job', 'cgroup', 'scan', 'stub'),
    confidence: fc.constantFrom('high', 'best_effort', 'none'),
    reasons: fc.array(fc.record({ code: text, detail: text }), { maxLength: 3 }),
    cgroupPath: optional(fc.stringMatching(/^(\/[a-z0-9-]{1,8}){1,4}$/)),
    scope: optional(fc.stringMatching(/^agentmux-[a-z0-9-]{1,12}\.scope$/)),
    subreaper: fc.boolean(),
    job: fc.record({ name: fc.stringMatching(/^Global\\[a-z0-9-]{1,40}$/), flags: fc.nat(0xffff_ffff) }),
  },
  { requiredKeys: ['type', 'confidence', 'reasons', 'cgroupPath', 'scope', 'subreaper'] },
);

const run: fc.Arbitrary<RunRecord> = fc.record({
  wrapper: identity(1),
  root: optional(identity(2)),
  argv: fc.array(text, { maxLength: 4 }),
  cwd: text,
  tty: optional(text),
  startedAtMs: timeMs,
  endedAtMs: optional(timeMs),
  exit: optional(
    fc.record({
      code: optional(fc.nat(255)),
      signal: optional(fc.constantFrom('SIGTERM', 'SIGKILL', 'SIGRTMIN+3')),
      timedOut: fc.boolean(),
    }),
  ),
  callerSids: fc.array(pid(0), { maxLength: 4 }),
});

const blockId = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/).filter(isValidBlockId);

/** Any record that the program may write. */
export const arbitraryRecord: fc.Arbitrary<BlockRecord> = fc.record({
  schemaVersion: fc.constant(1 as const),
  id: blockId,
  tag: fc.stringMatching(/^[0-9a-f]{32}$/),
  machineId: text,
  agent: optional(text),
  kind: fc.constantFrom('agent', 'terminal'),
  parentId: optional(blockId),
  createdAtMs: timeMs,
  state: fc.constantFrom('starting', 'running', 'ended'),
  leftovers: fc.constantFrom('report', 'kill', 'keep', 'ask'),
  tracker,
  runs: fc.array(run, { maxLength: 4 }),
});
