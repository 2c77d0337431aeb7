/**
 * Guards for values out of a file: each returns the value with its type or throws InvalidField naming the field's
 * path. Messages carry no text of the file.
 */

/** A field of a state file is not what it must be; never leaves src/state. */
export class InvalidField extends Error {
  override readonly name = 'InvalidField';
  constructor(path: string, wanted: string) {
    super(`${path} is not ${wanted}`);
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** A plain object (no array, no null). */
export function objectAt(value: unknown, path: string): JsonObject {
  if (!isObject(value)) throw new InvalidField(path, 'an object');
  return value;
}

/** True for an object of JSON. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string of at most `maxLength` UTF-16 units without NUL: none of the strings in a record can hold one. */
export function textAt(value: unknown, path: string, maxLength: number): string {
  if (typeof value !== 'string' || value.length > maxLength || value.includes('\0')) {
    throw new InvalidField(path, `a text of at most ${maxLength} characters`);
  }
  return value;
}

/** A string that matches `pattern` (anchored by the caller). */
export function matchAt(value: unknown, path: string, pattern: RegExp, wanted: string): string {
  if (typeof value !== 'string' || !pattern.test(value)) throw new InvalidField(path, wanted);
  return value;
}

/** An integer in [min, max]. */
export function integerAt(value: unknown, path: string, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw new InvalidField(path, `an integer from ${min} to ${max}`);
  }
  return value;
}

/** A point in time that Date can hold (ECMA-262, time values), ms since the epoch. */
export function timeAt(value: unknown, path: string): number {
  if (typeof value !== 'number' || !(value >= 0 && value <= 8.64e15)) throw new InvalidField(path, 'a time in ms');
  return value;
}

export function booleanAt(value: unknown, path: string): boolean {
  if (typeof value !== 'boolean') throw new InvalidField(path, 'true or false');
  return value;
}

/** One of some words. */
export function oneOfAt<T extends string>(value: unknown, path: string, words: readonly T[]): T {
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) throw new InvalidField(path, `one of ${words.join(', ')}`);
  return word;
}

/** An array of at most `maxLength` items, each read by `item`. */
export function listAt<T>(
  value: unknown,
  path: string,
  maxLength: number,
  item: (value: unknown, path: string) => T,
): T[] {
  if (!Array.isArray(value) || value.length > maxLength) {
    throw new InvalidField(path, `a list of at most ${maxLength} items`);
  }
  return value.map((entry: unknown, index) => item(entry, `${path}[${index}]`));
}

/** `null` and a missing field are `undefined`; anything else is read by `present`. */
export function optionalAt<T>(
  value: unknown,
  path: string,
  present: (value: unknown, path: string) => T,
): T | undefined {
  return value === undefined || value === null ? undefined : present(value, path);
}
