import type { BlockRecord, TrackerRecord } from '../../src/model/block.ts';
import type { Identity } from '../../src/model/identity.ts';

export interface RecordParts {
  readonly id?: string;
  readonly tag?: string;
  readonly machineId?: string;
  readonly parentId?: string;
  readonly state?: BlockRecord['state'];
  readonly tracker?: TrackerRecord;
  readonly wrapper?: Identity;
  readonly root?: Identity;
}

/** A block's record with one run of that wrapper; none without one. */
export function blockRecord(parts: RecordParts = {}): BlockRecord {
  const { wrapper, root } = parts;
  const run = {
    root,
    argv: ['agent'],
    cwd: '/',
    tty: undefined,
    startedAtMs: 0,
    endedAtMs: undefined,
    exit: undefined,
    callerSids: [],
  };
  return {
    schemaVersion: 1,
    id: parts.id ?? 'b',
    tag: parts.tag ?? 'ab'.repeat(16),
    machineId: parts.machineId ?? 'm',
    agent: undefined,
    kind: 'agent',
    parentId: parts.parentId,
    createdAtMs: 0,
    state: parts.state ?? 'running',
    leftovers: 'report',
    tracker: parts.tracker ?? {
      type: 'scan',
      confidence: 'best_effort',
      reasons: [],
      cgroupPath: undefined,
      scope: undefined,
      subreaper: false,
    },
    runs: wrapper ? [{ ...run, wrapper }] : [],
  };
}
