import { describe, expect, it } from 'vitest';
import type { EntryRow } from '../../src/annotate/entry-rows.ts';
import type { KillReportRow } from '../../src/kill/kill.ts';
import {
  type Leftovers,
  renderHandOvers,
  renderKilled,
  renderLeftovers,
  renderProgress,
  renderSurvivors,
} from '../../src/launch/leftovers-text.ts';

const noLabel = { callId: '1:2', toolId: undefined, description: undefined, command: undefined };
const server: EntryRow = {
  ...{ blockId: 'claude-k3f9', id: 'p1', source: 'background', status: 'running', taskId: 'b1', pid: 4711, pgid: 4711 },
  ...{ command: 'PORT=3000 npm run dev -- --host 0.0.0.0', name: 'vite', ports: [3000, 3001], pids: [4711, 4712] },
  ...{ startedAtMs: 1, endedAtMs: undefined, uptimeMs: 184_000, privateBytes: 125_829_120 },
  ...{ label: { ...noLabel, toolId: 'toolu_1', description: 'Dev server' }, kept: false, note: undefined },
  redacted: false,
};
const sleeper: EntryRow = {
  ...{ ...server, id: 'p2', source: 'detached', command: 'sleep 600', name: 'sleep 600', ports: [], pid: 9, pids: [9] },
  ...{ privateBytes: undefined, label: undefined },
};
const helper = { pid: 77, ageMs: 5000, ports: [], memoryBytes: 1024, command: 'mcp-server', isTagOnly: false };
const nothing: Leftovers = {
  ...{ blockId: 'claude-k3f9', entries: [], kept: [], others: [], stdout: [], stderr: [], logout: undefined },
};
const render = (facts: Partial<Leftovers>) =>
  renderLeftovers({ ...nothing, ...facts }, (text) => (text.length > 30 ? `${text.slice(0, 29)}…` : text)).join('\n');

describe('renderLeftovers', () => {
  it('lists what still runs and by which call, how to end or keep it, and who keeps our output open', () => {
    const entries = [
      { row: server, rows: [server] },
      { row: sleeper, rows: [sleeper, { ...sleeper, id: 'p3' }] },
    ];
    const text = render({ entries, others: [helper], stdout: [4711], logout: 'they end at logout' });
    expect(text).toMatchInlineSnapshot(`
      "5 processes of claude-k3f9 still run:
        ENTRY   PID  UPTIME      PORTS      MEM  COMMAND
        p1     4711   3m 4s  3000,3001  120 MiB  PORT=3000 npm run dev -- --ho…  "Dev server" toolu_1
        p2-p3     9   3m 4s                   -  sleep 600 ×2
                 77      5s             1.0 KiB  mcp-server
      to end them: agentmux kill-tree --block claude-k3f9
      one of them: agentmux kill --block claude-k3f9 p1; to keep it: agentmux keep --block claude-k3f9 p1
      pid 4711 holds our stdout open: its reader sees no end until then
      they end at logout"
    `);
  });

  it('says what is kept, alone or beside the rest', () => {
    const kept = [{ row: { ...server, kept: true, note: 'demo' }, rows: [server] }];
    expect(render({ kept, logout: 'they end at logout' })).toMatchInlineSnapshot(`
      "kept of claude-k3f9: p1 (vite, demo)
      they end at logout"
    `);
  });

  it('tells apart what only carries the tag', () => {
    expect(render({ others: [{ ...helper, isTagOnly: true }], logout: 'logout' })).toMatchInlineSnapshot(`
      "1 process left claude-k3f9 and only carries its tag:
        ENTRY  PID  UPTIME  PORTS      MEM  COMMAND
                77      5s         1.0 KiB  mcp-server
      to end it too: agentmux kill-tree --block claude-k3f9 --escaped"
    `);
  });

  it('has nothing to say of nothing', () => {
    expect(render({})).toBe('');
    expect(renderHandOvers([])).toEqual([]);
  });

  it('says what was handed to others', () => {
    expect(renderHandOvers(['tmux', 'ssh'])).toMatchInlineSnapshot(`
      [
        "work was handed to tmux, ssh: what runs there is not tracked and was not looked for",
      ]
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
