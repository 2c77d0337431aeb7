import type { BlockRecord, RunRecord } from '../../src/model/block.ts';
import type { Identity } from '../../src/model/identity.ts';

/** Identity, run and record with every optional field set, each open to change. */
export function sampleIdentity(changes: Partial<Identity> = {}): Identity {
  return {
    pid: 4242,
    startTicks: 123456,
    bootId: '7cbd0a84-41c1-4b3c-8a7e-0fd3d3a8c7c1',
    pidNamespace: '4026531836',
    ...changes,
  };
}

export function sampleRun(changes: Partial<RunRecord> = {}): RunRecord {
  return {
    wrapper: sampleIdentity({ pid: 4241, startTicks: 123400 }),
    root: sampleIdentity(),
    argv: ['claude', '-p', 'hello'],
    cwd: '/home/dev/project',
    tty: 'pts/3',
    startedAtMs: 1_700_000_000_000,
    endedAtMs: 1_700_000_100_000,
    exit: { code: undefined, signal: 'SIGTERM', timedOut: false },
    callerSids: [4000, 1],
    ...changes,
  };
}

export function sampleRecord(changes: Partial<BlockRecord> = {}): BlockRecord {
  return {
    schemaVersion: 1,
    id: 'claude-k3f9',
    tag: 'd41d8cd98f00b204e9800998ecf8427e',
    machineId: 'machine-a',
    agent: 'claude',
    kind: 'agent',
    parentId: undefined,
    createdAtMs: 1_700_000_000_000,
    state: 'ended',
    leftovers: 'report',
    tracker: {
      type: 'cgroup',
      confidence: 'high',
      reasons: [{ code: 'no-user-manager', detail: 'no socket' }],
      cgroupPath: '/sys/fs/cgroup/agentmux-claude-k3f9-d41d8cd9',
      scope: undefined,
      subreaper: true,
    },
    runs: [sampleRun()],
    ...changes,
  };
}
