import { describe, expect, it } from 'vitest';
import type { KillReportRow } from '../../src/kill/kill.ts';
import {
  type Leftover,
  renderKilled,
  renderLeftovers,
  renderProgress,
  renderSurvivors,
} from '../../src/launch/leftovers-text.ts';

const server: Leftover = {
  pid: 4711,
  ageMs: 184_000,
  ports: [3000, 3001],
  memoryBytes: 125_829_120,
  command: 'node server.js',
  isTagOnly: false,
  holds: ['stdout'],
};
const sleeper: Leftover = { ...server, pid: 9, ports: [], memoryBytes: undefined, command: 'sleep 600', holds: [] };

describe('renderLeftovers', () => {
  it('lists what still runs, how to end it, and who keeps our output open', () => {
    expect(renderLeftovers('claude-k3f9', [server, sleeper], 'they end at logout').join('\n')).toMatchInlineSnapshot(`
      "2 processes of claude-k3f9 still run:
         PID    AGE      PORTS      MEM  COMMAND
        4711  3m 4s  3000,3001  120 MiB  node server.js
           9  3m 4s                   -  sleep 600
      to end them: agentmux kill-tree --block claude-k3f9
      pid 4711 holds our stdout open: its reader sees no end until then
      they end at logout"
    `);
  });

  it('tells apart what only carries the tag', () => {
    expect(renderLeftovers('b', [{ ...sleeper, isTagOnly: true }], 'logout').join('\n')).toMatchInlineSnapshot(`
      "1 process left b and only carries its tag:
        PID    AGE  PORTS  MEM  COMMAND
          9  3m 4s           -  sleep 600
      to end it too: agentmux kill-tree --block b --escaped"
    `);
  });
});

const row: KillReportRow = {
  pid: 4711,
  identity: undefined,
  command: 'node server.js',
  ports: [],
  turn: 'rest',
  uid: 0,
  escaped: false,
  redacted: false,
  result: 'exited',
  detail: undefined,
};

describe('the words about a kill at the end', () => {
  it('names what was ended and what needed force', () => {
    const rows = [
      row,
      { ...row, pid: 9, result: 'killed' as const },
      { ...row, pid: 10, result: 'already-gone' as const },
    ];
    expect(renderKilled('b', { rows, leftOut: [], kept: [], ok: true })).toEqual([
      'ended 2 processes of b: 4711 (node server.js), 9 (node server.js)',
      'KILL was needed for 9 (node server.js)',
    ]);
    expect(renderSurvivors('b', { rows, leftOut: [], kept: [], ok: true })).toEqual([]);
  });

  it('names what could not be ended, why, and what to do', () => {
    const rows = [{ ...row, result: 'denied' as const, detail: 'owned by uid 5' }];
    expect(renderSurvivors('b', { rows, leftOut: [], kept: [], ok: false })).toEqual([
      '1 process of b could not be ended:',
      '  pid 4711 denied (owned by uid 5): node server.js',
      'to try again: agentmux kill-tree --block b',
    ]);
  });

  it('says who is waited for and when force comes', () => {
    expect(renderProgress({ waitingFor: [row], forceInMs: 2500 })).toBe('waiting for pid 4711: KILL comes in 2.5s');
    expect(renderProgress({ waitingFor: [row, { ...row, pid: 9 }], forceInMs: 0 })).toBe(
      'waiting for pids 4711, 9: KILL was sent',
    );
  });
});
