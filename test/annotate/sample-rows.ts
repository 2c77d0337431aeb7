import type { ProcessRow } from '../../src/model/row.ts';
import { noEvidence } from '../helpers/evidence.ts';

/** A row with sensible values. */
export function sampleRow(fields: Partial<ProcessRow> = {}): ProcessRow {
  const pid = fields.pid ?? 100;
  return {
    blockId: 'claude-k3f9',
    pid,
    parentPid: 1,
    startTicks: pid,
    startedAtMs: 1_000_000 + pid,
    ageMs: 10_000,
    state: 'S',
    cpuMs: 100,
    cpuPercent: 1,
    rssBytes: 2_000_000,
    privateBytes: 1_000_000,
    listeners: [],
    sharedListeners: [],
    comm: 'sleep',
    command: 'sleep 9',
    argv: ['sleep', '9'],
    commandBase64: undefined,
    exe: '/usr/bin/sleep',
    cwd: '/',
    uid: 0,
    tty: undefined,
    pgid: pid,
    sid: pid,
    innerPid: undefined,
    role: 'started',
    because: 'session of its own',
    evidence: noEvidence,
    agent: undefined,
    note: undefined,
    label: undefined,
    entry: undefined,
    kept: false,
    source: 'enclosure',
    confidence: 'high',
    escaped: false,
    redacted: false,
    ...fields,
  };
}
