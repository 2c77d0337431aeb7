import fc from 'fast-check';
import stringWidth from 'string-width';
import { beforeAll, describe, expect, it } from 'vitest';
import type { LineView } from '../../src/render/screen-line.ts';
import { loadScreenWidth } from '../../src/render/screen-width.ts';
import { drawState } from '../../src/watch/frame.ts';
import type { Key, KeyName } from '../../src/watch/keys.ts';
import { createState, type WatchState } from '../../src/watch/state.ts';
import { update, type WatchEvent } from '../../src/watch/update.ts';
import { NOW, observe, press, sampleState, watchBlock, watchEntry, watchRow } from './sample.ts';

let view: Omit<LineView, 'columns'>;
beforeAll(async () => {
  view = { colorLevel: 0, unicode: true, textWidth: await loadScreenWidth() };
});

/** Our own sequences out, blanks at the end off. */
const plain = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replaceAll(/\x1b\[(?:[\d;]*m|K)/g, '').trimEnd());
const draw = (state: WatchState): string[] => plain(drawState(state, view));

describe('a frame', () => {
  it('shows blocks, the tree of the selected one, and what is known of the selected process', () => {
    expect(draw(press(sampleState(), 'down', 'down').state).join('\n')).toMatchInlineSnapshot(`
      " agentmux  1 block, 3 processes, 2 agent-started                         ? help
        BLOCK    AGENT  STATE     PROCS   CPU%      MEM PORTS CONFIDENCE
      > b1       claude running     2/3   1.5%  4.8 MiB 3000  high
      ── b1: agent-started, tree, by age ─────────────────────────────────────────────
            PID      AGE   CPU%      MEM PORTS COMMAND
            100       9s   0.0%  977 KiB       claude -p hi
            200       9s   0.0%  977 KiB       ├─ bash -c 'npm run dev'
      >     201       9s    60%   86 MiB 5173  │  └─ node vite --port 5173
            300       9s   0.0%  977 KiB       └─ bash -c 'sleep 600 & sleep 600'
            301       9s   0.0%  3.8 MiB          └─ sleep 600 ×4







      ── process 201, sleeping ───────────────────────────────────────────────────────
        command    /usr/bin/node vite --port 5173
        started    9s ago (2023-11-14T22:13:10Z), parent 200, session 201
        directory  /
        why        started, session of its own; known by enclosure (high)
        ports      127.0.0.1:5173
       Tab pane  k kill  K block  p freeze  v view  a all  s sort  / filter  q quit"
    `);
  });

  it('offers for entries only what does something there', () => {
    const known = sampleState(observe({ entries: new Map([['b1', [watchEntry('p1')]]]) }));
    const footer = draw(press(known, '1').state).at(-1);
    expect(footer).toBe(' Tab pane  k kill  K block  p freeze  v view  / filter  q quit');
  });

  it('shows a plan in place of the list, what must be known first', () => {
    const state = update(sampleState(), {
      type: 'planned',
      plan: {
        title: 'End 2 processes of b1',
        targets: [
          { pid: 200, command: "bash -c 'npm run dev'", ports: [] },
          { pid: 201, command: 'node vite', ports: [5173] },
        ],
        notes: ['1 descendant ends too'],
      },
      request: { type: 'block', blockId: 'b1' },
    }).state;
    expect(draw(state).slice(3, 7).concat(draw(state).slice(-1)).join('\n')).toMatchInlineSnapshot(`
      "── End 2 processes of b1? ──────────────────────────────────────────────────────
        ! 1 descendant ends too
            200  bash -c 'npm run dev'
            201  :5173  node vite
       y end them  n leave them alone  ↑↓ scroll"
    `);
  });

  it('tells frozen, new, gone, stopped and orphaned by words and signs, not by colour', () => {
    const rows = [
      watchRow(100, { role: 'root', parentPid: 1, command: 'claude' }),
      watchRow(200, { command: 'new', seenAtMs: NOW - 1000 }),
      watchRow(201, { command: 'gone', goneAtMs: NOW - 1000 }),
      watchRow(202, { command: 'stopped', state: 'T', orphan: true }),
    ];
    const blocks = [watchBlock('b1', { frozen: true }), watchBlock('b2', { status: 'wrapper-gone', processes: 4 })];
    const text = draw(press(sampleState(observe({ blocks, rows: new Map([['b1', rows]]) })), '3').state).join('\n');
    expect(text).toMatch(/^> b1 .* frozen /m);
    expect(text).toMatch(/^ {2}b2 .* wrapper gone, 4 alive /m);
    expect(text).toMatch(/^ \+ +200 .* new$/m);
    expect(text).toMatch(/^ - +201 .* gone \(exited\)$/m);
    expect(text).toMatch(/202 .* stopped \(stopped, orphan\)$/m);
  });

  it('uses attributes but no colours at level 0, and ASCII alone where nothing else can be shown', () => {
    const lines = drawState(press(sampleState(), 'a').state, view).join('');
    const codes = [...lines.matchAll(/\x1b\[([\d;]*)m/g)].flatMap(([, code = '']) => code.split(';'));
    expect(new Set(codes)).toEqual(new Set(['0', '1', '2', '7']));
    const ascii = { ...sampleState(), unicode: false };
    const settled = press(ascii, 'a', '?').state;
    for (const state of [press(ascii, 'a').state, settled]) {
      expect(drawState(state, { ...view, unicode: false }).join('')).toMatch(/^[\x1b\x20-\x7e]*$/);
    }
  });

  it('says where to begin when there are no blocks', () => {
    const empty = createState({ size: { columns: 80, rows: 24 }, unicode: true, nowMs: NOW, all: false });
    expect(draw(empty).join('\n')).toContain('agentmux-run COMMAND starts one');
  });
});

describe('any frame', () => {
  const hostile = fc.oneof(
    fc.constantFrom(
      '\x1b]52;c;AAAA\x07',
      '\x1b[2J',
      '漢字かな',
      '👩‍👩‍👧‍👦',
      'e\u0301\u0301',
      '\u202eabc',
      '\u009b31m',
      '\ud800',
      '🧪🧪',
      'a\nb\tc',
    ),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ maxLength: 60 }),
  );
  const size = fc.record({ columns: fc.integer({ min: 1, max: 220 }), rows: fc.integer({ min: 1, max: 70 }) });
  const names: readonly KeyName[] = [
    ...(['up', 'down', 'left', 'right', 'pageup', 'pagedown', 'home', 'end', 'tab', 'enter', 'escape'] as const),
    ...(['backspace', 'ctrl-u', 'ctrl-l'] as const),
  ];
  const key: fc.Arbitrary<Key> = fc.oneof(
    fc.constantFrom(...names).map((name): Key => ({ type: 'named', name })),
    fc.constantFrom(...' 123vas/kKpx?qyn:').map((text): Key => ({ type: 'text', text })),
    hostile.map((text): Key => ({ type: 'paste', text })),
  );
  const row = fc
    .record({
      pid: fc.integer({ min: 2, max: 40 }),
      parentPid: fc.integer({ min: 1, max: 40 }),
      command: hostile,
      comm: hostile,
      cwd: hostile,
    })
    .map(({ pid, ...texts }) => watchRow(pid, { ...texts, because: texts.comm, exe: texts.cwd, tty: texts.comm }));
  const observation = fc
    .record({
      rows: fc.uniqueArray(row, { maxLength: 30, selector: ({ pid }) => pid }),
      id: hostile,
      agent: hostile,
      hasEntries: fc.boolean(),
      atMs: fc.integer({ min: NOW, max: NOW + 60_000 }),
    })
    .map(({ rows, id, agent, hasEntries, atMs }) => ({
      atMs,
      blocks: [watchBlock(id, { agent, argv: [agent], cwd: agent, tty: id }), watchBlock('b2')],
      rows: new Map([[id, rows]]),
      entries: hasEntries ? new Map([[id, [watchEntry('p1', { command: agent })]]]) : undefined,
    }));
  const plan = hostile.map(
    (text): WatchEvent => ({
      type: 'planned',
      plan: { title: text, targets: [{ pid: 5, command: text, ports: [80] }], notes: [text] },
      request: { type: 'block', blockId: 'b2' },
    }),
  );
  const event: fc.Arbitrary<WatchEvent> = fc.oneof(
    { weight: 8, arbitrary: key.map((one): WatchEvent => ({ type: 'key', key: one })) },
    { weight: 3, arbitrary: observation.map((one): WatchEvent => ({ type: 'observed', observation: one })) },
    { weight: 1, arbitrary: size.map((one): WatchEvent => ({ type: 'resized', size: one })) },
    { weight: 1, arbitrary: hostile.map((text): WatchEvent => ({ type: 'told', text, isWarning: true })) },
    { weight: 1, arbitrary: hostile.map((text): WatchEvent => ({ type: 'busy', text })) },
    { weight: 1, arbitrary: plan },
  );

  it('has exactly its lines, none wider than the screen, and no control character of the data, whatever is typed', () => {
    fc.assert(
      fc.property(size, fc.array(event, { maxLength: 30 }), fc.boolean(), (first, events, unicode) => {
        let state = createState({ size: first, unicode, nowMs: NOW, all: false });
        for (const one of events) {
          state = update(state, one).state;
          const lines = drawState(state, { ...view, unicode, colorLevel: 2 });
          expect(lines).toHaveLength(state.size.rows);
          for (const line of lines) {
            const text = line.replaceAll(/\x1b\[(?:(?:0|1|2|7|31|32|33|36)(?:;\d+)?m|K)/g, '');
            expect(text).not.toMatch(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
            expect(stringWidth(text)).toBeLessThanOrEqual(state.size.columns);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
