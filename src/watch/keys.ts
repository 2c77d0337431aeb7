/** A key as the keyboard sent it: one with a name, or a character; a paste is no key press. */
export type Key =
  | { readonly type: 'named'; readonly name: KeyName }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'paste'; readonly text: string };

export type KeyName =
  | ('up' | 'down' | 'left' | 'right' | 'pageup' | 'pagedown' | 'home' | 'end')
  | ('tab' | 'backtab' | 'enter' | 'escape' | 'backspace')
  | ('ctrl-c' | 'ctrl-l' | 'ctrl-u' | 'ctrl-z');

export interface DecodedKeys {
  readonly keys: readonly Key[];
  /** The beginning of a sequence whose rest has not come yet: to be put before what comes next. */
  readonly rest: string;
}

/**
 * Keys of what a terminal in raw mode sent (xterm's control sequences, in normal and in application mode). With `isAll`
 * nothing more comes at once: an escape character alone is then the key of that name. Unknown sequences are dropped.
 */
export function decodeKeys(input: string, isAll: boolean): DecodedKeys {
  const keys: Key[] = [];
  let rest = input;
  while (rest !== '') {
    const step = decodeOne(rest, isAll);
    if (step === undefined) return { keys, rest };
    if (step.key !== undefined) keys.push(step.key);
    rest = rest.slice(step.length);
  }
  return { keys, rest: '' };
}

interface Step {
  readonly key: Key | undefined;
  readonly length: number;
}

const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';

function decodeOne(text: string, isAll: boolean): Step | undefined {
  if (text.startsWith(PASTE_BEGIN)) return decodePaste(text, isAll);
  if (!text.startsWith('\x1b')) return decodeCharacter(text);
  const sequence = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O[@-~])/.exec(text)?.[0];
  if (sequence !== undefined) return { key: named(SEQUENCES[sequence.slice(1)]), length: sequence.length };
  const isBegun = /^\x1b(?:\[[0-?]*[ -/]*|O)?$/.test(text);
  if (isBegun && !isAll) return undefined;
  // What no terminal sends whole, or Alt with a key: the escape character alone.
  return { key: named('escape'), length: isBegun ? text.length : 1 };
}

function decodePaste(text: string, isAll: boolean): Step | undefined {
  const end = text.indexOf(PASTE_END);
  if (end === -1 && !isAll) return undefined;
  const pasted = text.slice(PASTE_BEGIN.length, end === -1 ? undefined : end);
  return { key: { type: 'paste', text: pasted }, length: end === -1 ? text.length : end + PASTE_END.length };
}

function decodeCharacter(text: string): Step {
  const [character = ''] = text;
  const name = CONTROLS[character];
  if (name !== undefined) return { key: named(name), length: 1 };
  const isControl = /^[\p{Cc}\p{Cs}]$/u.test(character);
  return { key: isControl ? undefined : { type: 'text', text: character }, length: character.length };
}

function named(name: KeyName | undefined): Key | undefined {
  return name === undefined ? undefined : { type: 'named', name };
}

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\t': 'tab',
  '\r': 'enter',
  '\n': 'enter',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x03': 'ctrl-c',
  '\x0c': 'ctrl-l',
  '\x15': 'ctrl-u',
  '\x1a': 'ctrl-z',
};

/** Without the escape character. */
const SEQUENCES: Readonly<Record<string, KeyName>> = {
  '[A': 'up',
  OA: 'up',
  '[B': 'down',
  OB: 'down',
  '[C': 'right',
  OC: 'right',
  '[D': 'left',
  OD: 'left',
  '[5~': 'pageup',
  '[6~': 'pagedown',
  '[H': 'home',
  OH: 'home',
  '[1~': 'home',
  '[7~': 'home',
  '[F': 'end',
  OF: 'end',
  '[4~': 'end',
  '[8~': 'end',
  '[Z': 'backtab',
};
