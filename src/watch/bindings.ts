import type { Key } from './keys.ts';

/** What a key asks for outside of dialogs and of the filter's input. */
export type Action =
  | { readonly type: 'move'; readonly by: 'line' | 'page' | 'all'; readonly direction: 1 | -1 }
  | { readonly type: 'view'; readonly view: 'entries' | 'tree' | 'flat' }
  | { readonly type: 'fold'; readonly how: 'open' | 'close' | 'toggle' }
  | {
      readonly type:
        | ('pane' | 'next-view' | 'all' | 'sort' | 'filter' | 'clear-filter' | 'kill' | 'kill-tree' | 'freeze')
        | ('drop-gone' | 'help' | 'quit' | 'interrupt' | 'suspend' | 'redraw');
    };

/** The action of a key; undefined for keys without one. Pasted text never acts. */
export function actionOf(key: Key): Action | undefined {
  if (key.type === 'paste') return undefined;
  return key.type === 'named' ? NAMED[key.name] : CHARACTERS[key.text];
}

/** The help, in the order in which it is shown. */
export const KEY_HELP: readonly (readonly [keys: string, does: string])[] = [
  ['↑ ↓', 'move by one line'],
  ['PgUp PgDn', 'move by a page; Home and End to the first and the last'],
  ['Tab', 'from the blocks to the list below, and back'],
  ['← →  Space', 'fold and unfold what is below, and equal processes'],
  ['1 2 3  v', 'entries, a tree, a flat list; v the next of them'],
  ['a', 'in 2 and 3: all of the block, or what its agent started'],
  ['s', 'in 2 and 3: sort by age, CPU, memory, port, command'],
  ['/', 'only what has this text, pid, :port or KEY=VALUE; Esc ends it'],
  ['k', 'end a process and what descends from it: shows whom, then asks'],
  ['K', 'end the whole block, the agent too: shows whom, then asks'],
  ['p', 'freeze the block, so that none of it runs, and thaw it'],
  ['x', 'drop the lines of what has exited'],
  ['q  Ctrl-C', 'leave; Ctrl-Z stops, fg comes back; Ctrl-L draws anew'],
  ['', ''],
  ['+  -', 'came within the last 10 s; has exited, shown for 30 s'],
  ['CPU%', 'of one core since the last look; folded lines: the sum'],
];

/** What stands at the bottom of the screen, the most wanted first: what does something in that view. */
export function hintsFor(view: 'entries' | 'tree' | 'flat'): readonly KeyHint[] {
  return view === 'entries' ? KEY_HINTS.filter(([key]) => key !== 'a' && key !== 's') : KEY_HINTS;
}

type KeyHint = readonly [key: string, does: string];

const KEY_HINTS: readonly KeyHint[] = [
  ['Tab', 'pane'],
  ['k', 'kill'],
  ['K', 'block'],
  ['p', 'freeze'],
  ['v', 'view'],
  ['a', 'all'],
  ['s', 'sort'],
  ['/', 'filter'],
  ['q', 'quit'],
];

const move = (by: 'line' | 'page' | 'all', direction: 1 | -1): Action => ({ type: 'move', by, direction });

const NAMED: Readonly<Record<Extract<Key, { type: 'named' }>['name'], Action | undefined>> = {
  up: move('line', -1),
  down: move('line', 1),
  pageup: move('page', -1),
  pagedown: move('page', 1),
  home: move('all', -1),
  end: move('all', 1),
  left: { type: 'fold', how: 'close' },
  right: { type: 'fold', how: 'open' },
  enter: { type: 'fold', how: 'toggle' },
  tab: { type: 'pane' },
  backtab: { type: 'pane' },
  escape: { type: 'clear-filter' },
  backspace: undefined,
  'ctrl-c': { type: 'interrupt' },
  'ctrl-l': { type: 'redraw' },
  'ctrl-u': undefined,
  'ctrl-z': { type: 'suspend' },
};

const CHARACTERS: Readonly<Record<string, Action | undefined>> = {
  ' ': { type: 'fold', how: 'toggle' },
  '1': { type: 'view', view: 'entries' },
  '2': { type: 'view', view: 'tree' },
  '3': { type: 'view', view: 'flat' },
  v: { type: 'next-view' },
  a: { type: 'all' },
  s: { type: 'sort' },
  '/': { type: 'filter' },
  k: { type: 'kill' },
  K: { type: 'kill-tree' },
  p: { type: 'freeze' },
  x: { type: 'drop-gone' },
  '?': { type: 'help' },
  q: { type: 'quit' },
};
