import { AgentmuxError } from '../errors.ts';
import type { ProcessRow } from '../model/row.ts';
import { parseQuantity } from './quantity.ts';

/** One `--filter`. */
export type Condition =
  | { readonly type: 'text'; readonly key: string; readonly negated: boolean; readonly value: string }
  | { readonly type: 'number'; readonly key: string; readonly above: boolean; readonly bound: number };

/** What `--filter` takes, for help texts. */
export const FILTER_HELP =
  'KEY=VALUE or KEY!=VALUE (pid, parent, uid, role, block, agent, state, port, tty, source, confidence, escaped, ' +
  'command: a part of it), KEY>VALUE or KEY<VALUE (cpu in percent, memory as 100M, age as 90s, 5m, 2h); ' +
  'several values of one key are alternatives, different keys must all hold';

/** Parses the values of all `--filter` options. Throws AgentmuxError `usage`. */
export function parseFilters(texts: readonly string[]): Condition[] {
  return texts.map(parseFilter);
}

/**
 * True if the row passes: of the `KEY=VALUE` conditions of one key any, of everything else all. An unknown value is
 * equal to nothing and neither above nor below anything.
 */
export function matchesFilters(row: ProcessRow, conditions: readonly Condition[]): boolean {
  const alternatives = new Map<string, boolean>();
  for (const condition of conditions) {
    if (condition.type === 'text' && !condition.negated) {
      alternatives.set(condition.key, alternatives.get(condition.key) || isEqual(row, condition.key, condition.value));
    } else if (!holds(row, condition)) {
      return false;
    }
  }
  return [...alternatives.values()].every((matched) => matched);
}

type Reader = (row: ProcessRow) => readonly (string | number | boolean | undefined)[];

const TEXT_KEYS: Readonly<Record<string, Reader>> = {
  pid: (row) => [row.pid],
  parent: (row) => [row.parentPid],
  uid: (row) => [row.uid],
  role: (row) => [row.role],
  block: (row) => [row.blockId],
  agent: (row) => [row.agent],
  state: (row) => [row.state],
  port: (row) => [...(row.listeners ?? []), ...row.sharedListeners].map((listener) => listener.port),
  tty: (row) => [row.tty],
  source: (row) => [row.source],
  confidence: (row) => [row.confidence],
  escaped: (row) => [row.escaped],
  command: (row) => [row.command],
};

const NUMBER_KEYS: Readonly<Record<string, (row: ProcessRow) => number | undefined>> = {
  cpu: (row) => row.cpuPercent,
  memory: (row) => row.privateBytes ?? row.rssBytes,
  age: (row) => row.ageMs,
};

function parseFilter(text: string): Condition {
  const match = /^([A-Za-z]+)(!=|=|>|<)([\s\S]+)$/.exec(text);
  const [, key = '', operator = '', value = ''] = match ?? [];
  if (match === null) {
    throw refuse(text, 'is no KEY=VALUE');
  }
  if (Object.hasOwn(NUMBER_KEYS, key)) {
    const bound = parseQuantity(key, value);
    if (operator === '=' || operator === '!=') throw refuse(text, `compares ${key}: use ">" or "<"`);
    if (bound === undefined) throw refuse(text, `has no valid value for ${key}`);
    return { type: 'number', key, above: operator === '>', bound };
  }
  if (!Object.hasOwn(TEXT_KEYS, key)) throw refuse(text, `has an unknown key "${key}"`);
  if (operator === '>' || operator === '<') throw refuse(text, `cannot compare ${key}: use "=" or "!="`);
  return { type: 'text', key, negated: operator === '!=', value };
}

function refuse(text: string, problem: string): AgentmuxError {
  return new AgentmuxError('usage', `filter "${text}" ${problem}`, {
    code: 'bad-filter',
    hint: `keys: ${[...Object.keys(TEXT_KEYS), ...Object.keys(NUMBER_KEYS)].join(' ')}`,
  });
}

function holds(row: ProcessRow, condition: Condition): boolean {
  if (condition.type === 'text') {
    return !isEqual(row, condition.key, condition.value);
  }
  const value = NUMBER_KEYS[condition.key]?.(row);
  return value !== undefined && (condition.above ? value > condition.bound : value < condition.bound);
}

function isEqual(row: ProcessRow, key: string, wanted: string): boolean {
  return (TEXT_KEYS[key]?.(row) ?? []).some((value) => {
    if (value === undefined) {
      return false;
    }
    return key === 'command' ? String(value).toLowerCase().includes(wanted.toLowerCase()) : String(value) === wanted;
  });
}
