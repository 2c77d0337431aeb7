import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HookRecord } from '../../src/calls/hook-record.ts';
import { type CallProcess, type CallRecords, findCall, joinCalls, labelProcesses } from '../../src/calls/join.ts';
import type { ShellRecord } from '../../src/calls/shell-record.ts';

const directory = '/state/calls/b1';

function hook(toolId: string, fields: Partial<HookRecord> = {}): HookRecord {
  const { atMs = 10, command = 'npm test' } = fields;
  return {
    name: `hook.${toolId}`,
    toolId,
    sessionId: 's1',
    description: `does ${toolId}`,
    background: false,
    ...fields,
    atMs,
    command,
  };
}

function shell(pid: number, fields: Partial<ShellRecord> = {}): ShellRecord {
  const own = { name: `call.${pid}`, pid, startTicks: pid * 10, sid: pid, sessionId: 's1', agentPid: 1 };
  return { ...own, command: 'npm test', atMs: 20, ...fields };
}

function records(fields: Partial<CallRecords>): CallRecords {
  return { directory, hooks: [], shells: [], reports: [], ...fields };
}

function proc(pid: number, fields: Partial<CallProcess> = {}): CallProcess {
  const unknown = { ppid: undefined, sid: undefined, startedAtMs: undefined, mark: undefined, sessionId: undefined };
  return { pid, startTicks: pid * 10, ...unknown, ...fields };
}

const toolIds = (fields: Partial<CallRecords>) => joinCalls(records(fields)).calls.map(({ toolId }) => toolId);

describe('joinCalls', () => {
  it('joins a hook and a shell by session and command', () => {
    expect(joinCalls(records({ hooks: [hook('t1')], shells: [shell(100)] })).calls).toEqual([
      {
        toolId: 't1',
        description: 'does t1',
        command: 'npm test',
        background: false,
        pid: 100,
        startTicks: 1000,
        sid: 100,
        sessionId: 's1',
        atMs: 20,
      },
    ]);
  });

  it.each<[string, Partial<CallRecords>, (string | undefined)[]]>([
    [
      'the newest with that command',
      { hooks: [hook('old', { atMs: 1 }), hook('new', { atMs: 2 })], shells: [shell(100)] },
      ['new'],
    ],
    [
      'each record once',
      { hooks: [hook('t1')], shells: [shell(100, { atMs: 20 }), shell(101, { atMs: 30 })] },
      ['t1', undefined],
    ],
    [
      'the records in the order of the shells',
      {
        hooks: [hook('t1', { atMs: 1 }), hook('t2', { atMs: 25 })],
        shells: [shell(101, { atMs: 30 }), shell(100, { atMs: 20 })],
      },
      ['t1', 't2'],
    ],
    ['no record of a later call', { hooks: [hook('t1', { atMs: 21 })], shells: [shell(100)] }, [undefined]],
    ['a record of the same moment', { hooks: [hook('t1', { atMs: 20 })], shells: [shell(100)] }, ['t1']],
    ['no record of another session', { hooks: [hook('t1', { sessionId: 's2' })], shells: [shell(100)] }, [undefined]],
    [
      "the session's only record, if a hook rewrote the command",
      { hooks: [hook('t1')], shells: [shell(100, { command: 'rtk npm test' })] },
      ['t1'],
    ],
    [
      "the session's only record for a command that is not known",
      { hooks: [hook('t1')], shells: [shell(100, { command: undefined })] },
      ['t1'],
    ],
    [
      'none of two, if none has the command',
      { hooks: [hook('t1'), hook('t2', { command: 'b' })], shells: [shell(100, { command: 'c' })] },
      [undefined],
    ],
    [
      'the only one that is left',
      {
        hooks: [hook('t1'), hook('t2', { command: 'b', atMs: 21 })],
        shells: [shell(100), shell(101, { command: 'rewritten', atMs: 30 })],
      },
      ['t1', 't2'],
    ],
    [
      'one record of a hook that is wired twice',
      { hooks: [hook('t1'), hook('t1')], shells: [shell(100), shell(101)] },
      ['t1', undefined],
    ],
  ])('claims %s', (_, fields, expected) => {
    expect(toolIds(fields)).toEqual(expected);
  });

  it('makes no call of a denied one', () => {
    expect(joinCalls(records({ hooks: [hook('t1')] })).calls).toEqual([]);
  });

  it('keeps two sessions with one command apart', () => {
    const hooks = [hook('a', { sessionId: 's1', atMs: 1 }), hook('b', { sessionId: 's2', atMs: 2 })];
    const shells = [shell(100, { sessionId: 's1', atMs: 3 }), shell(101, { sessionId: 's2', atMs: 3 })];
    expect(toolIds({ hooks, shells })).toEqual(['a', 'b']);
  });

  it('says of two equal calls of one session at once only what holds for both', () => {
    const hooks = [hook('t1', { atMs: 1, background: true }), hook('t2', { atMs: 2, background: true })];
    const shells = [shell(100, { atMs: 3 }), shell(101, { atMs: 4 })];
    const [first, second] = joinCalls(records({ hooks, shells })).calls;
    const common = { toolId: undefined, description: undefined, background: true, command: 'npm test' };
    expect([first, second]).toMatchObject([common, common]);
  });

  it('tells equal calls apart that came one after the other', () => {
    const hooks = [hook('t1', { atMs: 1 }), hook('t2', { atMs: 3 })];
    expect(toolIds({ hooks, shells: [shell(100, { atMs: 2 }), shell(101, { atMs: 4 })] })).toEqual(['t1', 't2']);
  });

  it('keeps the command of a shell without a record', () => {
    expect(joinCalls(records({ shells: [shell(100)] })).calls).toMatchObject([
      { toolId: undefined, command: 'npm test' },
    ]);
  });

  it('never claims a record twice, of another session, or of the future', () => {
    const command = fc.constantFrom('a', 'b', 'c');
    const session = fc.constantFrom('s1', 's2');
    const hooks = fc.array(fc.record({ command, sessionId: session, atMs: fc.nat(50) }), { maxLength: 12 });
    const shells = fc.array(fc.record({ command, sessionId: session, atMs: fc.nat(50) }), { maxLength: 12 });
    fc.assert(
      fc.property(hooks, shells, (someHooks, someShells) => {
        const all = someHooks.map((fields, i) => hook(`t${i}`, fields));
        const { calls } = joinCalls(
          records({ hooks: all, shells: someShells.map((fields, i) => shell(100 + i, fields)) }),
        );
        const claimed = calls.flatMap(({ toolId }) => toolId ?? []);
        expect(new Set(claimed).size).toBe(claimed.length);
        for (const { toolId, sessionId, atMs } of calls) {
          const record = all.find((one) => one.toolId === toolId);
          if (record === undefined) continue;
          expect(record.sessionId).toBe(sessionId);
          expect(record.atMs).toBeLessThanOrEqual(atMs ?? -1);
        }
      }),
    );
  });
});

describe('labelProcesses', () => {
  const index = joinCalls(records({ hooks: [hook('t1')], shells: [shell(100)] }));
  const label = (...processes: CallProcess[]) =>
    [...labelProcesses(index, processes)].map(([pid, call]) => [pid, call.toolId]);

  it('labels the root of the call and all below it', () => {
    const tree = [
      proc(1),
      proc(100, { ppid: 1, sid: 100 }),
      proc(101, { ppid: 100 }),
      proc(102, { ppid: 101, sid: 102 }),
    ];
    expect(label(...tree)).toEqual([
      [100, 't1'],
      [101, 't1'],
      [102, 't1'],
    ]);
    expect(findCall(index, 102, tree)?.toolId).toBe('t1');
  });

  it('labels what was reparented and kept the session', () => {
    expect(label(proc(1), proc(105, { ppid: 1, sid: 100 }))).toEqual([[105, 't1']]);
  });

  it('labels what was reparented, has a session of its own and kept the mark', () => {
    expect(label(proc(1), proc(105, { ppid: 1, sid: 105, mark: `${directory}/call.100` }))).toEqual([[105, 't1']]);
  });

  it('labels what was remembered, and what that started', () => {
    const call = index.calls[0];
    const processes = [proc(1), proc(105, { ppid: 1, sid: 105 }), proc(106, { ppid: 105 })];
    const remembered = ({ pid }: CallProcess) => (pid === 105 ? call : undefined);
    expect([...labelProcesses(index, processes, remembered).keys()]).toEqual([105, 106]);
  });

  it.each<[string, CallProcess[]]>([
    ['the agent and its servers', [proc(1, { sid: 1 }), proc(2, { ppid: 1, sid: 1 })]],
    ['a process older than the call in a session of that number', [proc(50, { sid: 100 })]],
    [
      'a session whose number went to another leader',
      [proc(100, { sid: 100, startTicks: 5000 }), proc(600, { sid: 100 })],
    ],
    ['a session of that number of another agent session', [proc(200, { sid: 100, sessionId: 's9' })]],
    ['a mark of another block', [proc(200, { mark: '/state/calls/b2/call.100' })]],
    ['a mark that names no record', [proc(200, { mark: `${directory}/call.999` })]],
    ['a mark older than its record', [proc(50, { mark: `${directory}/call.100` })]],
    ['a circle of parents', [proc(200, { ppid: 201, startTicks: 1 }), proc(201, { ppid: 200, startTicks: 1 })]],
  ])('gives no label to %s', (_, processes) => {
    expect(label(...processes)).toEqual([]);
  });

  it('takes two shells from outside of our pid namespace for no session', () => {
    const outside = joinCalls(records({ hooks: [hook('t1')], shells: [shell(100, { sid: 0 })] }));
    const processes = [proc(100, { sid: 0 }), proc(200, { sid: 0 }), proc(201, { ppid: 100, sid: 0 })];
    expect(labelProcesses(outside, processes).size).toBe(0);
    const marked = proc(100, { sid: 0, mark: `${directory}/call.100` });
    expect([...labelProcesses(outside, [marked, ...processes.slice(1)]).keys()]).toEqual([100, 201]);
  });

  it.each([
    ['older than its parent', proc(90, { ppid: 100 })],
    ['of unknown age', proc(101, { ppid: 100, startTicks: undefined })],
  ])('does not hand the label down to a child that is %s', (_, child) => {
    expect(label(proc(100, { sid: 100 }), child)).toEqual([[100, 't1']]);
  });

  it('gives a nested agent and its tools the call that they run in', () => {
    const nested = proc(110, { ppid: 100, sid: 100, sessionId: 's1' });
    const tool = proc(120, { ppid: 110, sid: 120, sessionId: 'nested' });
    expect(label(proc(100, { sid: 100 }), nested, tool)).toEqual([
      [100, 't1'],
      [110, 't1'],
      [120, 't1'],
    ]);
  });

  it('gives the tools of a nested agent with records of its own their own call', () => {
    const both = joinCalls(
      records({
        hooks: [hook('t1'), hook('n1', { sessionId: 'nested', atMs: 21 })],
        shells: [shell(100), shell(120, { sessionId: 'nested', atMs: 22 })],
      }),
    );
    const processes = [proc(100, { sid: 100 }), proc(110, { ppid: 100, sid: 100 }), proc(120, { ppid: 110, sid: 120 })];
    expect([...labelProcesses(both, processes).values()].map(({ toolId }) => toolId)).toEqual(['t1', 't1', 'n1']);
  });

  it('tells calls apart whose shells had one pid', () => {
    const reused = joinCalls(
      records({
        hooks: [hook('t1', { atMs: 1 }), hook('t2', { atMs: 30 })],
        shells: [shell(100, { atMs: 2 }), shell(100, { name: 'call.100.1', startTicks: 5000, atMs: 31 })],
      }),
    );
    const left = proc(105, { ppid: 1, sid: 105, mark: `${directory}/call.100` });
    const worker = proc(700, { ppid: 105, sid: 105, mark: `${directory}/call.100` });
    const fresh = proc(600, { ppid: 100, sid: 100, mark: `${directory}/call.100.1` });
    const found = labelProcesses(reused, [left, worker, fresh]);
    expect([left, worker, fresh].map(({ pid }) => found.get(pid)?.toolId)).toEqual(['t1', 't1', 't2']);
  });

  it('knows a call by the id that the agent put into the environment', () => {
    const codex = joinCalls(records({}));
    const processes = [
      proc(100, { mark: 'call_7' }),
      proc(101, { ppid: 1, mark: 'call_7' }),
      proc(102, { mark: 'call_8' }),
    ];
    const found = labelProcesses(codex, processes);
    expect([...found.values()].map(({ toolId }) => toolId)).toEqual(['call_7', 'call_7', 'call_8']);
    expect(found.get(100)).toBe(found.get(101));
  });

  it('labels by a report the process that it names and what that started', () => {
    const reports = [{ toolId: 'r1', pid: 300, description: 'Reported', atMs: 100_000 }];
    const reported = joinCalls(records({ reports }));
    const processes = [proc(300, { startedAtMs: 99_000 }), proc(301, { ppid: 300 })];
    expect([...labelProcesses(reported, processes).values()].map(({ description }) => description)).toEqual([
      'Reported',
      'Reported',
    ]);
    expect(labelProcesses(reported, [proc(300, { startedAtMs: 103_000 })]).size).toBe(0);
    expect(labelProcesses(reported, [proc(300)]).size).toBe(1);
  });

  it('takes the command from the record of the hook that a report is of', () => {
    const reports = [{ toolId: 't1', pid: 300, description: undefined, atMs: 5 }];
    const reported = joinCalls(records({ hooks: [hook('t1')], shells: [shell(100)], reports }));
    expect(labelProcesses(reported, [proc(300)]).get(300)).toMatchObject({
      command: 'npm test',
      description: 'does t1',
    });
  });

  it('labels 4,097 shells and no more processes than are theirs', () => {
    const shells = Array.from({ length: 4097 }, (_, i) => shell(i + 10, { command: `c${i}`, atMs: i + 1 }));
    const hooks = shells.map(({ command = '', atMs }, i) => hook(`t${i}`, { command, atMs }));
    const many = joinCalls(records({ hooks, shells }));
    const processes = shells.map(({ pid }) => proc(pid, { ppid: 1, sid: pid }));
    expect([...labelProcesses(many, processes).values()].map(({ toolId }) => toolId)).toEqual(
      shells.map((_, i) => `t${i}`),
    );
  });
});
