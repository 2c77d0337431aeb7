import { maxDescription } from '../model/call.ts';

/** The object that a text is in JSON; undefined for anything else. */
export function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An own field of an object; undefined if the value is none. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** A field that is a text and not empty. */
export function textField(value: unknown, name: string): string | undefined {
  const text = field(value, name);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** A description as it is kept: trimmed and cut to 200 characters; undefined if nothing is left, or it is no text. */
export function describe(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const trimmed = value.trim();
  if (trimmed.length <= maxDescription) return trimmed === '' ? undefined : trimmed;
  return Array.from(trimmed).slice(0, maxDescription).join('');
}
