import { describe, expect, it } from 'vitest';
import { update } from '../../src/watch/update.ts';
import { listOf, NOW, observe, press, sampleRows, sampleState, watchBlock, watchEntry, watchRow } from './sample.ts';

describe('the list', () => {
  it('shows the agent and what it started as a tree, equal processes as one line', () => {
    expect(listOf(sampleState())).toEqual(['100', '├─ 200', '│  └─ 201', '└─ 300', '   └─ 301 x4']);
  });

  it('shows the helpers of the agent after a, and hides them again', () => {
    const all = press(sampleState(), 'a').state;
    expect(listOf(all)).toContain('├─ 110');
    expect(listOf(press(all, 'a').state)).not.toContain('├─ 110');
  });

  it('goes through the views that there are', () => {
    const flat = press(sampleState(), 'v').state;
    expect(flat.view).toBe('flat');
    expect(listOf(flat)).toHaveLength(8);
    expect(press(flat, 'v').state.view).toBe('tree');
    expect(press(sampleState(), '1').state.message?.text).toBe('entries are not known here');
    const known = sampleState(observe({ entries: new Map([['b1', [watchEntry('p1'), watchEntry('p2')]]]) }));
    expect(listOf(press(known, '1').state)).toEqual(['p1', 'p2']);
  });

  it.each(['a', 's'])('keeps the other views as they are while %s is pressed on entries', (key) => {
    const known = press(sampleState(observe({ entries: new Map([['b1', [watchEntry('p1')]]]) })), '1').state;
    const { state } = press(known, key);
    expect(state.message?.text).toBe('entries are all shown, as they came');
    expect(state).toMatchObject({ all: known.all, sort: known.sort });
  });

  it.each([
    ['age', 0, [100, 200, 201, 300, 301, 302, 303, 304]],
    ['CPU', 1, [201, 100]],
    ['memory', 2, [201, 100]],
    ['port', 3, [201, 100]],
    ['command', 4, [201, 200, 300]],
  ])('sorts by %s', (_title, presses, pids) => {
    const { state } = press(sampleState(), '3', ...Array.from({ length: presses }, () => 's'));
    expect(state.items.slice(0, pids.length).map((item) => item.type === 'process' && item.row.pid)).toEqual(pids);
  });

  it.each([
    ['a part of the command', 'vite', ['100', '└─ 200', '   └─ 201']],
    ['a port', ':5173', ['100', '└─ 200', '   └─ 201']],
    ['a pid', '302', ['100', '└─ 300', '   └─ 302']],
    ['a condition', 'memory>50M', ['100', '└─ 200', '   └─ 201']],
    ['what is no condition', 'NODE_ENV=x', []],
  ])('filters by %s, with the place of what matches', (_title, text, lines) => {
    expect(listOf(press(sampleState(), '/', ...text).state)).toEqual(lines);
  });

  it('selects what a filter found, so that a kill is about that', () => {
    const { effects } = press(sampleState(), '/', ...'vite', 'enter', 'k');
    expect(effects).toEqual([
      { type: 'plan', request: { type: 'processes', blockId: 'b1', named: [{ pid: 201, startTicks: 201 }] } },
    ]);
  });

  it('takes a filter back on escape', () => {
    const typed = press(sampleState(), '/', ...'vite').state;
    expect(press(typed, 'escape').state.filter).toBe('');
    const kept = press(typed, 'enter').state;
    expect(kept.filter).toBe('vite');
    expect(press(kept, 'escape').state.filter).toBe('');
  });
});

describe('folding', () => {
  it('folds what is below a process, and unfolds it', () => {
    const folded = press(sampleState(), 'down', 'left').state;
    expect(listOf(folded)).toEqual(['100', '├▸ 200 +1', '└─ 300', '   └─ 301 x4']);
    expect(listOf(press(folded, 'right').state)).toHaveLength(5);
    expect(listOf(press(folded, ' ').state)).toHaveLength(5);
  });

  it('unfolds equal processes, and folds them again from any of them', () => {
    const unfolded = press(sampleState(), 'end', 'right').state;
    expect(listOf(unfolded).slice(4)).toEqual(['   ├─ 301', '   ├─ 302', '   ├─ 303', '   └─ 304']);
    expect(listOf(press(unfolded, 'end', 'left').state).slice(4)).toEqual(['   └─ 301 x4']);
  });

  it('goes to the line above where there is nothing to fold', () => {
    const { state } = press(sampleState(), 'down', 'down', 'left');
    expect(state.itemKey).toBe('200:200');
  });
});

describe('what comes and goes', () => {
  const later = (seconds: number, rows = sampleRows()) =>
    observe({ atMs: NOW + seconds * 1000, rows: new Map([['b1', rows]]) });

  it('marks what is new and keeps what has gone for 30 s', () => {
    const first = sampleState();
    const rows = [...sampleRows().filter(({ pid }) => pid !== 201), watchRow(400, { parentPid: 100, command: 'make' })];
    const second = update(first, { type: 'observed', observation: later(2, rows) }).state;
    const of = (pid: number) => second.observation.rows.get('b1')?.find((row) => row.pid === pid);
    expect(of(400)?.seenAtMs).toBe(NOW + 2000);
    expect(of(201)).toMatchObject({ goneAtMs: NOW + 2000, listeners: [] });
    const third = update(second, { type: 'observed', observation: later(31, rows) }).state;
    expect(third.observation.rows.get('b1')?.map(({ pid }) => pid)).toContain(201);
    const fourth = update(third, { type: 'observed', observation: later(33, rows) }).state;
    expect(fourth.observation.rows.get('b1')?.map(({ pid }) => pid)).not.toContain(201);
  });

  it('drops what has gone at once after x', () => {
    const gone = update(sampleState(), { type: 'observed', observation: later(2, sampleRows().slice(0, 4)) }).state;
    expect(gone.observation.rows.get('b1')).toHaveLength(9);
    expect(press(gone, 'x').state.observation.rows.get('b1')).toHaveLength(4);
  });

  it('keeps a block that ended on the screen, and acts on it no more', () => {
    const ended = update(sampleState(), {
      type: 'observed',
      observation: observe({ atMs: NOW + 2000, blocks: [], rows: new Map() }),
    }).state;
    expect(ended.observation.blocks.map(({ goneAtMs }) => goneAtMs)).toEqual([NOW + 2000]);
    expect(press(ended, 'K', 'p').effects).toEqual([]);
    expect(press(ended, 'k').state.message?.text).toBe('it has exited');
  });

  it('stays on the selected process when others come before it', () => {
    const selected = press(sampleState(), '3', 'end').state;
    const rows = [watchRow(50, { parentPid: 1, role: 'root', command: 'older' }), ...sampleRows()];
    const next = update(selected, { type: 'observed', observation: later(2, rows) }).state;
    expect(next.itemKey).toBe('304:304');
    expect(next.items[next.item]?.key).toBe('304:304');
  });

  it('shows new numbers of a row without making the list anew', () => {
    const first = sampleState();
    const rows = (first.observation.rows.get('b1') ?? []).map((row) =>
      row.pid === 201 ? { ...row, cpuMs: 999 } : row,
    );
    const next = update(first, { type: 'observed', observation: later(2, rows) }).state;
    expect(next.items.map(({ key }) => key)).toEqual(first.items.map(({ key }) => key));
    expect(next.items[0]).toBe(first.items[0]);
    expect(next.items[2]).toMatchObject({ row: { cpuMs: 999 }, rows: [{ cpuMs: 999 }] });
  });
});

describe('ending things', () => {
  const plan = { title: 'End 1 process of b1', targets: [{ pid: 201, command: 'vite', ports: [] }], notes: [] };
  const request = { type: 'processes', blockId: 'b1', named: [{ pid: 201, startTicks: 201 }] } as const;
  const asked = () => update(sampleState(), { type: 'planned', plan, request }).state;

  it('asks for a plan first, of all processes of a folded line', () => {
    expect(press(sampleState(), 'end', 'k').effects).toEqual([
      {
        type: 'plan',
        request: { ...request, named: [301, 302, 303, 304].map((pid) => ({ pid, startTicks: pid })) },
      },
    ]);
    expect(press(sampleState(), 'K').effects).toEqual([{ type: 'plan', request: { type: 'block', blockId: 'b1' } }]);
  });

  it('does nothing in a plan but on y', () => {
    for (const key of ['n', 'escape', 'q']) {
      const { state, effects } = press(asked(), key);
      expect([state.mode.type, effects]).toEqual(['normal', []]);
    }
    for (const key of ['k', 'K', 'enter', ' ', 'Y', 'tab', 'a']) {
      const { state, effects } = press(asked(), key);
      expect([key, state.mode.type, effects]).toEqual([key, 'plan', []]);
    }
    expect(press(asked(), 'y').effects).toEqual([{ type: 'kill', request }]);
  });

  it('takes pasted text for no answer', () => {
    const pasted = update(asked(), { type: 'key', key: { type: 'paste', text: 'y' } });
    expect([pasted.state.mode.type, pasted.effects]).toEqual(['plan', []]);
    expect(update(sampleState(), { type: 'key', key: { type: 'paste', text: 'K' } }).effects).toEqual([]);
  });

  it('ends one thing at a time, and does not leave half-way unasked', () => {
    const busy = press(asked(), 'y').state;
    expect(press(busy, 'k').effects).toEqual([]);
    const warned = press(busy, 'q');
    expect(warned.effects).toEqual([]);
    expect(warned.state.message?.text).toContain('q again');
    expect(press(warned.state, 'q').effects).toEqual([{ type: 'quit' }]);
    const done = update(busy, { type: 'done', text: 'ended: 1 exited', isWarning: false }).state;
    expect(press(done, 'q').effects).toEqual([{ type: 'quit' }]);
  });

  it('says what there is to do where nothing can be ended', () => {
    expect(press(sampleState(), 'tab', 'k').state.message?.text).toContain('K ends the whole block');
    const empty = update(sampleState(), { type: 'planned', plan: { ...plan, targets: [] }, request }).state;
    expect([empty.mode.type, empty.message?.text]).toEqual(['normal', 'nothing to end']);
  });

  it('ends an entry by its live processes', () => {
    const entries = new Map([['b1', [watchEntry('p1', { pid: 200, pids: [200, 201, 999] })]]]);
    const { effects } = press(sampleState(observe({ entries })), '1', 'k');
    const named = [200, 201].map((pid) => ({ pid, startTicks: pid }));
    expect(effects).toEqual([{ type: 'plan', request: { type: 'processes', blockId: 'b1', named } }]);
  });
});

describe('blocks', () => {
  const two = () =>
    observe({
      blocks: [watchBlock('b1'), watchBlock('b2', { frozen: true })],
      rows: new Map([
        ['b1', sampleRows()],
        ['b2', [watchRow(900, { role: 'root', parentPid: 1 })]],
      ]),
    });

  it('shows the processes of the block that is selected', () => {
    const { state } = press(sampleState(two()), 'tab', 'down');
    expect(listOf(state)).toEqual(['900']);
    expect(listOf(press(state, 'up').state)).toHaveLength(5);
    expect(press(state, 'enter').state.focus).toBe('list');
  });

  it('freezes and thaws', () => {
    expect(press(sampleState(two()), 'p').effects).toEqual([{ type: 'freeze', blockId: 'b1', frozen: true }]);
    expect(press(sampleState(two()), 'tab', 'down', 'p').effects).toEqual([
      { type: 'freeze', blockId: 'b2', frozen: false },
    ]);
  });

  it('asks the terminal for what only it can do, in every mode', () => {
    for (const before of [[], ['?'], ['/', 'x']]) {
      const { effects } = press(sampleState(two()), ...before, 'ctrl-c', 'ctrl-z', 'ctrl-l');
      expect(effects.map(({ type }) => type)).toEqual(['interrupt', 'suspend', 'redraw']);
    }
  });
});
