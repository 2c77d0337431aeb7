import type { KeptMark } from '../model/entry.ts';
import { memberAt, setAt } from './entries-file.ts';
import { InvalidField, listAt, matchAt, objectAt, optionalAt, textAt, timeAt } from './guards.ts';

/** No file of what is kept is larger. */
export const MAX_KEPT_BYTES = 1_048_576;

/** The text of a block's file of what is kept. */
export function serializeKept(marks: readonly KeptMark[]): string {
  return `${JSON.stringify({ schemaVersion: 1, kept: marks }, undefined, 1)}\n`;
}

/** Parses it; undefined if it is torn or foreign, so that nobody takes it for an empty one. */
export function parseKept(text: string): KeptMark[] | undefined {
  try {
    return listAt(objectAt(JSON.parse(text), 'kept')['kept'], 'kept', 1000, markAt);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InvalidField) return undefined;
    throw error;
  }
}

const MAX_TEXT = 10_000;

function markAt(value: unknown, path: string): KeptMark {
  const json = objectAt(value, path);
  return {
    entryId: optionalAt(json['entryId'], `${path}.entryId`, (id, at) =>
      matchAt(id, at, /^p[1-9]\d{0,12}$/, 'an entry id'),
    ),
    bootId: textAt(json['bootId'], `${path}.bootId`, 256),
    members: listAt(json['members'], `${path}.members`, 10_000, memberAt),
    sessions: listAt(json['sessions'], `${path}.sessions`, 1000, setAt),
    command: textAt(json['command'], `${path}.command`, MAX_TEXT),
    note: optionalAt(json['note'], `${path}.note`, (note, at) => textAt(note, at, MAX_TEXT)),
    keptAtMs: timeAt(json['keptAtMs'], `${path}.keptAtMs`),
  };
}
