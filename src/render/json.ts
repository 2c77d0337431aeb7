import { escapeJson } from './untrusted.ts';

/** Version of every JSON document that is printed; raised only when a reader of the old form would break. */
export const SCHEMA_VERSION = 1;

/**
 * One JSON document with `schemaVersion` first and a newline at the end. Undefined is unknown and becomes `null`, so
 * that every field is always there.
 */
export function renderJson(fields: object): string {
  return `${escapeJson(JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...fields }, unknownToNull, 2))}\n`;
}

function unknownToNull(_key: string, value: unknown): unknown {
  return value === undefined ? null : value;
}
