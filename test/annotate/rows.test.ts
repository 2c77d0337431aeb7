import { describe, expect, it } from 'vitest';
import { buildRows, type RowMember, type RowsInput } from '../../src/annotate/rows.ts';
import type { Call } from '../../src/model/call.ts';
import type { ProcessDetails, ProcessStat } from '../../src/model/process.ts';
import { noEvidence } from '../helpers/evidence.ts';

const stat: ProcessStat = {
  pid: 20,
  ppid: 10,
  pgid: 20,
  sid: 20,
  ttyNr: 34816,
  tpgid: -1,
  startTicks: 500,
  state: 'S',
  cpuMs: 250,
  rssBytes: 4096,
  comm: 'node',
};

const noCall: Call = {
  ...{ toolId: undefined, description: undefined, command: undefined, pid: undefined, startTicks: undefined },
  ...{ sid: undefined, sessionId: undefined, background: undefined, atMs: undefined },
};

const member: RowMember = {
  pid: 20,
  startTicks: 500,
  source: 'enclosure',
  confidence: 'high',
  escaped: false,
  stat,
  role: 'started',
  because: 'shell above it',
  evidence: noEvidence,
  argv: ['node', 'server.js', '--token', 'abc'],
  exe: '/usr/bin/node',
};

const details: ProcessDetails = {
  argv: member.argv,
  argvBytes: undefined,
  exe: member.exe,
  cwd: '/work',
  uid: 1000,
  privateBytes: 1024,
  innerPid: undefined,
};

describe('buildRows', () => {
  it('joins a member with its details', () => {
    expect(build({})).toEqual({
      blockId: 'b-1',
      pid: 20,
      parentPid: 10,
      startTicks: 500,
      startedAtMs: 5_000,
      ageMs: 2_000,
      state: 'S',
      cpuMs: 250,
      cpuPercent: 12.5,
      rssBytes: 4096,
      privateBytes: 1024,
      listeners: undefined,
      sharedListeners: [],
      comm: 'node',
      command: 'node server.js --token ***',
      argv: ['node', 'server.js', '--token', '***'],
      commandBase64: undefined,
      exe: '/usr/bin/node',
      cwd: '/work',
      uid: 1000,
      tty: 'pts/0',
      pgid: 20,
      sid: 20,
      innerPid: undefined,
      role: 'started',
      because: 'shell above it',
      evidence: noEvidence,
      agent: undefined,
      kept: false,
      source: 'enclosure',
      confidence: 'high',
      escaped: false,
      redacted: true,
    });
  });

  it('names the call and the entry of a member, without secrets, and whether it is kept', () => {
    const call = { ...noCall, toolId: 'toolu_1', pid: 19, startTicks: 400, command: 'API_KEY=abc\n  npm  run dev' };
    const facts = { calls: new Map([[20, call]]), entries: new Map([[20, { id: 'p2' }]]), kept: new Set([20]) };
    const label = { callId: '19:400', toolId: 'toolu_1', description: undefined, command: 'API_KEY=*** npm run dev' };
    expect(build(facts)).toMatchObject({ label, entry: 'p2', kept: true, redacted: true });
    const plain = build({ ...facts, redact: false });
    expect(plain?.label?.command).toBe('API_KEY=abc npm run dev');
  });

  it('shows secrets where it was asked to', () => {
    expect(build({ redact: false })).toMatchObject({ command: 'node server.js --token abc', redacted: false });
  });

  it('knows nothing of a process that cannot be looked at, and says so', () => {
    const hidden = { ...member, stat: undefined, startTicks: undefined, argv: undefined, exe: undefined };
    const row = build({ members: [hidden], details: new Map() });
    expect(Object.entries(row ?? {}).filter(([, value]) => value !== undefined && value !== false)).toEqual([
      ['blockId', 'b-1'],
      ['pid', 20],
      ['sharedListeners', []],
      ['role', 'started'],
      ['because', 'shell above it'],
      ['evidence', noEvidence],
      ['source', 'enclosure'],
      ['confidence', 'high'],
    ]);
  });

  it('keeps the bytes of a command that is no UTF-8, but not of a redacted one', () => {
    const argvBytes = new Uint8Array([0x78, 0, 0xff, 0]);
    const raw = { ...details, argv: ['x', '\ufffd'], argvBytes };
    expect(build({ details: new Map([[20, raw]]) })?.commandBase64).toBe('eAD/AA==');
    const secret = { ...details, argvBytes };
    expect(build({ details: new Map([[20, secret]]) })?.commandBase64).toBeUndefined();
  });

  it('has no average of a process that just started, and no negative age after a clock step', () => {
    expect(build({ nowMs: 5_000 })).toMatchObject({ ageMs: 0, cpuPercent: undefined });
    expect(build({ nowMs: 1 })).toMatchObject({ ageMs: 0, cpuPercent: undefined });
  });

  it('names the agent of a nested agent', () => {
    const nested = { ...member, argv: ['claude', '-p', 'x'], exe: '/x/claude.exe' };
    expect(build({ members: [nested], details: undefined })?.agent).toBe('claude');
  });

  it('has no terminal for a process without one', () => {
    expect(build({ members: [{ ...member, stat: { ...stat, ttyNr: 0 } }] })?.tty).toBeUndefined();
  });
});

function build(input: Partial<RowsInput>) {
  return buildRows({
    blockId: 'b-1',
    members: [member],
    details: new Map([[20, details]]),
    nowMs: 7_000,
    startedAtMs: (ticks) => ticks * 10,
    ttyName: () => 'pts/0',
    redact: true,
    ...input,
  })[0];
}
