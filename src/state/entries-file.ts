import type { Call } from '../model/call.ts';
import { type EntryBook, type EntryRecord, emptyBook, type NumberedSet } from '../model/entry.ts';
import {
  booleanAt,
  InvalidField,
  integerAt,
  type JsonObject,
  listAt,
  matchAt,
  objectAt,
  oneOfAt,
  optionalAt,
  textAt,
  timeAt,
} from './guards.ts';

/** No file of entries is larger. */
export const MAX_ENTRIES_BYTES = 4_194_304;

/** The text of a block's file of entries; `undefined` is left out. */
export function serializeEntries(book: EntryBook): string {
  return `${JSON.stringify({ schemaVersion: 1, ...book })}\n`;
}

/**
 * Parses it. A torn or foreign file holds no entry that could be trusted; then numbers begin far above any that was ever
 * given, so that none is used again.
 */
export function parseEntries(text: string): EntryBook {
  try {
    const json = objectAt(JSON.parse(text), 'entries');
    return {
      next: integerAt(json['next'], 'next', 1, 2 ** 40),
      entries: listAt(json['entries'], 'entries', 10_000, recordAt),
    };
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof InvalidField)) throw error;
    return { ...emptyBook, next: highestId(text) + 1 };
  }
}

const MAX_TEXT = 1_000_000;
const MAX_PID = 0xffff_ffff;
const MAX_TICKS = 2 ** 63;

function highestId(text: string): number {
  const ids = [...text.matchAll(/"id":"p(\d{1,9})"|"next":(\d{1,9})/g)].map((match) => Number(match[1] ?? match[2]));
  return Math.max(0, ...ids.slice(0, 100_000)) + (text === '' ? 0 : 1000);
}

function recordAt(value: unknown, path: string): EntryRecord {
  const json = objectAt(value, path);
  const at = (name: string) => `${path}.${name}`;
  return {
    id: matchAt(json['id'], at('id'), /^p[1-9]\d{0,12}$/, 'an entry id'),
    source: oneOfAt(json['source'], at('source'), ['background', 'detached'] as const),
    key: textAt(json['key'], at('key'), MAX_TEXT),
    command: textAt(json['command'], at('command'), MAX_TEXT),
    name: textAt(json['name'], at('name'), MAX_TEXT),
    taskId: optionalAt(json['taskId'], at('taskId'), longTextAt),
    pid: optionalAt(json['pid'], at('pid'), pidAt),
    startTicks: optionalAt(json['startTicks'], at('startTicks'), ticksAt),
    pgid: optionalAt(json['pgid'], at('pgid'), pidAt),
    startedAtMs: optionalAt(json['startedAtMs'], at('startedAtMs'), timeAt),
    endedAtMs: optionalAt(json['endedAtMs'], at('endedAtMs'), timeAt),
    exited: booleanAt(json['exited'], at('exited')),
    bootId: textAt(json['bootId'], at('bootId'), 256),
    call: optionalAt(json['call'], at('call'), callAt),
    sessions: listAt(json['sessions'], at('sessions'), 1000, setAt),
    groups: listAt(json['groups'], at('groups'), 1000, setAt),
    members: listAt(json['members'], at('members'), 1000, memberAt),
  };
}

function callAt(value: unknown, path: string): Call {
  const json = objectAt(value, path);
  const text = (name: string) => optionalAt(json[name], `${path}.${name}`, longTextAt);
  return {
    toolId: text('toolId'),
    description: text('description'),
    command: text('command'),
    pid: optionalAt(json['pid'], `${path}.pid`, pidAt),
    startTicks: optionalAt(json['startTicks'], `${path}.startTicks`, ticksAt),
    sid: optionalAt(json['sid'], `${path}.sid`, pidAt),
    sessionId: text('sessionId'),
    background: optionalAt(json['background'], `${path}.background`, booleanAt),
    atMs: optionalAt(json['atMs'], `${path}.atMs`, timeAt),
  };
}

/** A session or a group, as files hold it. Throws InvalidField. */
export function setAt(value: unknown, path: string): NumberedSet {
  const json: JsonObject = objectAt(value, path);
  return {
    number: pidAt(json['number'], `${path}.number`),
    sinceTicks: ticksAt(json['sinceTicks'], `${path}.sinceTicks`),
  };
}

/** A process of a boot that is told elsewhere in the file. Throws InvalidField. */
export function memberAt(value: unknown, path: string): { readonly pid: number; readonly startTicks: number } {
  const json = objectAt(value, path);
  return {
    pid: integerAt(json['pid'], `${path}.pid`, 2, MAX_PID),
    startTicks: ticksAt(json['startTicks'], `${path}.startTicks`),
  };
}

function longTextAt(value: unknown, path: string): string {
  return textAt(value, path, MAX_TEXT);
}

function pidAt(value: unknown, path: string): number {
  return integerAt(value, path, 0, MAX_PID);
}

function ticksAt(value: unknown, path: string): number {
  return integerAt(value, path, 0, MAX_TICKS);
}
