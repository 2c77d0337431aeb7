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

/** As renderJson, on one line: for streams of documents. */
export function renderJsonLine(fields: object): string {
  return `${escapeJson(toJsonText({ schemaVersion: SCHEMA_VERSION, ...fields }))}\n`;
}

/** A value on one line, as in documents but not escaped yet. */
export function toJsonText(value: unknown): string {
  return JSON.stringify(value, unknownToNull);
}

function unknownToNull(_key: string, value: unknown): unknown {
  return value === undefined ? null : value;
}
