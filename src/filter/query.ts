import { AgentmuxError } from '../errors.ts';
import { parseQuantity } from './quantity.ts';

/** One `--filter`. */
export type Condition =
  | { readonly type: 'text'; readonly key: string; readonly negated: boolean; readonly value: string }
  | { readonly type: 'number'; readonly key: string; readonly above: boolean; readonly bound: number };

type Value = string | number | boolean | undefined;

/** What the rows of a listing can be asked for. An unknown value is undefined. */
export interface FilterKeys<Row> {
  /** Compared as a whole. */
  readonly exact: Readonly<Record<string, (row: Row) => Value | readonly Value[]>>;
  /** Of which a part is enough, in any case. */
  readonly part: Readonly<Record<string, (row: Row) => Value>>;
  /** Compared by `>` and `<`: `cpu`, `memory` and `age` in the units of parseQuantity, counts as they are. */
  readonly numbers: Readonly<Record<string, (row: Row) => number | undefined>>;
}

/** The filter of one kind of listing. */
export interface RowFilter<Row> {
  /** What `--filter` takes, for help texts. */
  readonly help: string;
  readonly keys: readonly string[];
  /** Parses the values of all `--filter` options. Throws AgentmuxError `usage`. */
  parse(texts: readonly string[]): Condition[];
  /**
   * True if the row passes: of the `KEY=VALUE` conditions of one key any, of everything else all. An unknown value is
   * equal to nothing and neither above nor below anything.
   */
  matches(row: Row, conditions: readonly Condition[]): boolean;
}

/** A filter by these keys. */
export function createFilter<Row>(keys: FilterKeys<Row>): RowFilter<Row> {
  return {
    help: describeKeys(keys),
    keys: listKeys(keys),
    parse: (texts) => texts.map((text) => parseCondition(text, keys)),
    matches: (row, conditions) => passes(row, conditions, keys),
  };
}

type AnyKeys = FilterKeys<never>;

function listKeys({ exact, part, numbers }: AnyKeys): string[] {
  return [exact, part, numbers].flatMap((table) => Object.keys(table));
}

function describeKeys(keys: AnyKeys): string {
  const texts = [...Object.keys(keys.exact), ...Object.keys(keys.part).map((key) => `${key}: a part of it`)];
  const numbers = Object.keys(keys.numbers).map((key) => UNITS[key] ?? key);
  return (
    `KEY=VALUE or KEY!=VALUE (${texts.join(', ')}), KEY>VALUE or KEY<VALUE (${numbers.join(', ')}); ` +
    'several values of one key are alternatives, different keys must all hold'
  );
}

const UNITS: Readonly<Record<string, string>> = {
  cpu: 'cpu in percent',
  memory: 'memory as 100M',
  age: 'age as 90s, 5m, 2h',
};

function parseCondition(text: string, keys: AnyKeys): Condition {
  const match = /^([A-Za-z]+)(!=|=|>|<)([\s\S]+)$/.exec(text);
  const [, key = '', operator = '', value = ''] = match ?? [];
  if (match === null) throw refuse(text, 'is no KEY=VALUE', keys);
  if (Object.hasOwn(keys.numbers, key)) {
    const bound = parseQuantity(key, value);
    if (operator === '=' || operator === '!=') throw refuse(text, `compares ${key}: use ">" or "<"`, keys);
    if (bound === undefined) throw refuse(text, `has no valid value for ${key}`, keys);
    return { type: 'number', key, above: operator === '>', bound };
  }
  if (!Object.hasOwn(keys.exact, key) && !Object.hasOwn(keys.part, key)) {
    throw refuse(text, `has an unknown key "${key}"`, keys);
  }
  if (operator === '>' || operator === '<') throw refuse(text, `cannot compare ${key}: use "=" or "!="`, keys);
  return { type: 'text', key, negated: operator === '!=', value };
}

function refuse(text: string, problem: string, keys: AnyKeys): AgentmuxError {
  return new AgentmuxError('usage', `filter "${text}" ${problem}`, {
    code: 'bad-filter',
    hint: `keys: ${listKeys(keys).join(' ')}`,
  });
}

function passes<Row>(row: Row, conditions: readonly Condition[], keys: FilterKeys<Row>): boolean {
  const alternatives = new Map<string, boolean>();
  for (const condition of conditions) {
    if (condition.type === 'text' && !condition.negated) {
      alternatives.set(condition.key, alternatives.get(condition.key) || isEqual(row, condition, keys));
    } else if (!holds(row, condition, keys)) {
      return false;
    }
  }
  return [...alternatives.values()].every((matched) => matched);
}

function holds<Row>(row: Row, condition: Condition, keys: FilterKeys<Row>): boolean {
  if (condition.type === 'text') return !isEqual(row, condition, keys);
  const value = keys.numbers[condition.key]?.(row);
  return value !== undefined && (condition.above ? value > condition.bound : value < condition.bound);
}

function isEqual<Row>(row: Row, condition: Condition & { readonly type: 'text' }, keys: FilterKeys<Row>): boolean {
  const { key, value: wanted } = condition;
  const part = keys.part[key]?.(row);
  if (part !== undefined) return String(part).toLowerCase().includes(wanted.toLowerCase());
  return [keys.exact[key]?.(row)].flat().some((value) => value !== undefined && String(value) === wanted);
}
