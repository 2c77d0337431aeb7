import type { WatchBlock, WatchEntry, WatchRow } from '../../src/render/screen-types.ts';
import type { Updated } from '../../src/watch/effects.ts';
import { emptyObservation, type Observation } from '../../src/watch/observation.ts';
import { createState, type WatchState } from '../../src/watch/state.ts';
import { update } from '../../src/watch/update.ts';
import { sampleRow } from '../annotate/sample-rows.ts';

export const NOW = 1_700_000_000_000;

export function watchRow(pid: number, fields: Partial<WatchRow> = {}): WatchRow {
  return {
    ...sampleRow({ pid, ...fields }),
    startedAtMs: NOW - 10_000 + pid,
    orphan: false,
    cpuNowPercent: 0,
    seenAtMs: undefined,
    goneAtMs: undefined,
    ...fields,
  };
}

export function watchBlock(id: string, fields: Partial<WatchBlock> = {}): WatchBlock {
  return {
    id,
    agent: 'claude',
    parentId: undefined,
    status: 'running',
    tracker: {
      type: 'cgroup',
      confidence: 'high',
      reasons: [],
      cgroupPath: '/sys/fs/cgroup/x',
      scope: undefined,
      subreaper: true,
    },
    startedAtMs: NOW - 60_000,
    agentStarted: 2,
    processes: 3,
    zombies: [],
    cpuNowPercent: 1.5,
    privateBytes: 5_000_000,
    memoryIsPartial: false,
    ports: [3000],
    frozen: false,
    entries: undefined,
    argv: ['claude', '-p', 'hi'],
    cwd: '/home/u',
    tty: 'pts/1',
    seenAtMs: undefined,
    goneAtMs: undefined,
    ...fields,
  };
}

export function watchEntry(id: string, fields: Partial<WatchEntry> = {}): WatchEntry {
  return {
    id,
    source: 'background',
    command: 'npm run dev',
    ports: [],
    startedAtMs: NOW - 5000,
    endedAtMs: undefined,
    status: 'running',
    pid: 200,
    pids: [200],
    name: 'npm',
    taskId: undefined,
    pgid: undefined,
    call: undefined,
    seenAtMs: undefined,
    goneAtMs: undefined,
    ...fields,
  };
}

/** An agent with two tool calls, one of them with a server and four equal sleepers, and a helper of its own. */
export function sampleRows(): WatchRow[] {
  const shell = (pid: number, command: string): WatchRow =>
    watchRow(pid, { parentPid: 100, command, comm: 'bash', because: 'a shell' });
  return [
    watchRow(100, {
      parentPid: 1,
      role: 'root',
      agent: 'claude',
      command: 'claude -p hi',
      because: 'launched as the agent',
    }),
    watchRow(110, { parentPid: 100, role: 'plumbing', command: 'node mcp-server.js' }),
    shell(200, "bash -c 'npm run dev'"),
    watchRow(201, {
      parentPid: 200,
      command: '/usr/bin/node vite --port 5173',
      cpuNowPercent: 60,
      privateBytes: 90_000_000,
      listeners: [{ protocol: 'tcp', address: '127.0.0.1', port: 5173 }],
    }),
    shell(300, "bash -c 'sleep 600 & sleep 600'"),
    ...[301, 302, 303, 304].map((pid) => watchRow(pid, { parentPid: 300, command: 'sleep 600' })),
  ];
}

export function observe(fields: Partial<Observation> = {}): Observation {
  return { ...emptyObservation(NOW), blocks: [watchBlock('b1')], rows: new Map([['b1', sampleRows()]]), ...fields };
}

/** A view of 80x24 that has seen the sample. */
export function sampleState(observation: Observation = observe()): WatchState {
  const state = createState({ size: { columns: 80, rows: 24 }, unicode: true, nowMs: NOW, all: false });
  return update(state, { type: 'observed', observation }).state;
}

/** Types keys by name or character; returns the last state and every effect. */
export function press(state: WatchState, ...keys: readonly string[]): Updated {
  return keys.reduce<Updated>(
    (before, key) => {
      const named = key.length > 1;
      const next = update(before.state, {
        type: 'key',
        key: named ? { type: 'named', name: key as 'up' } : { type: 'text', text: key },
      });
      return { state: next.state, effects: [...before.effects, ...next.effects] };
    },
    { state, effects: [] },
  );
}

/** The list as `pid branch`, for golden texts. */
export function listOf(state: WatchState): string[] {
  return state.items.map((item) => {
    if (item.type === 'entry') return item.key;
    const count = item.rows.length > 1 ? ` x${item.rows.length}` : '';
    return `${item.branch}${item.row.pid}${count}${item.hidden > 0 ? ` +${item.hidden}` : ''}`;
  });
}
