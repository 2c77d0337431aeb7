import type {
  BlockRecord,
  Confidence,
  JobRecord,
  LeftoversPolicy,
  RunExit,
  RunRecord,
  TrackerReason,
  TrackerRecord,
  TrackerType,
} from '../model/block.ts';
import type { Identity } from '../model/identity.ts';
import {
  booleanAt,
  InvalidField,
  integerAt,
  isObject,
  listAt,
  matchAt,
  objectAt,
  oneOfAt,
  optionalAt,
  textAt,
  timeAt,
} from './guards.ts';
import { isValidBlockId } from './ids.ts';

/** The version that this program writes. Added fields do not raise it; a changed meaning does. */
export const SCHEMA_VERSION = 1;

export type ParseResult =
  | { readonly status: 'ok'; readonly record: BlockRecord }
  | { readonly status: 'unreadable'; readonly reason: 'torn' | 'newer' | 'foreign'; readonly detail: string };

/** Parses the text of a state file: `torn` if it is no JSON (cut off, NUL bytes, a stale tail). Never throws. */
export function parseBlockText(text: string, fileId?: string): ParseResult {
  if (text.trim() === '') return unreadable('torn', 'the file is empty');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return unreadable('torn', 'the file is no complete JSON document');
  }
  return parseBlockRecord(json, fileId);
}

/**
 * Checks every field of a block record and copies the known ones; `null` and missing become `undefined` where the
 * record has an optional value. Unknown fields are left out here and put back by serializeBlockRecord. With `fileId`
 * the record must carry that id. Never throws.
 */
export function parseBlockRecord(json: unknown, fileId?: string): ParseResult {
  if (isObject(json) && Number.isInteger(json['schemaVersion']) && Number(json['schemaVersion']) > SCHEMA_VERSION) {
    return unreadable('newer', `schema version ${Number(json['schemaVersion'])}, known up to ${SCHEMA_VERSION}`);
  }
  try {
    const record = blockAt(json);
    if (fileId !== undefined && record.id !== fileId) return unreadable('foreign', 'id is not that of the file name');
    return { status: 'ok', record };
  } catch (error) {
    if (error instanceof InvalidField) return unreadable('foreign', error.message);
    throw error;
  }
}

function unreadable(reason: 'torn' | 'newer' | 'foreign', detail: string): ParseResult {
  return { status: 'unreadable', reason, detail };
}

const TRACKERS: readonly TrackerType[] = ['job', 'cgroup', 'scan', 'stub'];
const CONFIDENCES: readonly Confidence[] = ['high', 'best_effort', 'none'];
const LEFTOVERS: readonly LeftoversPolicy[] = ['report', 'kill', 'keep', 'ask'];

/** Process ids are 32 bits wide at most (Windows; Linux has 22). */
const MAX_PID = 0xffff_ffff;
/** Start times are kernel counters of 64 bits. */
const MAX_TICKS = 2 ** 63;
const MAX_NAME = 256;
/** Longer than PATH_MAX, which binds a call, not a working directory. */
const MAX_PATH = 65_536;
/** A file is never larger than this, so neither is a text in it. */
const MAX_TEXT = 1_048_576;
const MAX_ITEMS = 1_048_576;

function blockAt(value: unknown): BlockRecord {
  const json = objectAt(value, 'the document');
  if (json['schemaVersion'] !== SCHEMA_VERSION) throw new InvalidField('schemaVersion', `${SCHEMA_VERSION}`);
  return {
    schemaVersion: SCHEMA_VERSION,
    id: blockIdAt(json['id'], 'id'),
    tag: matchAt(json['tag'], 'tag', /^[A-Za-z0-9._-]{1,128}$/, 'a tag'),
    machineId: textAt(json['machineId'], 'machineId', MAX_NAME),
    agent: optionalAt(json['agent'], 'agent', nameAt),
    kind: oneOfAt(json['kind'], 'kind', ['agent', 'terminal'] as const),
    parentId: optionalAt(json['parentId'], 'parentId', blockIdAt),
    createdAtMs: timeAt(json['createdAtMs'], 'createdAtMs'),
    state: oneOfAt(json['state'], 'state', ['starting', 'running', 'ended'] as const),
    leftovers: oneOfAt(json['leftovers'], 'leftovers', LEFTOVERS),
    tracker: trackerAt(json['tracker'], 'tracker'),
    runs: listAt(json['runs'], 'runs', MAX_ITEMS, runAt),
  };
}

function blockIdAt(value: unknown, path: string): string {
  if (typeof value !== 'string' || !isValidBlockId(value)) throw new InvalidField(path, 'a block id');
  return value;
}

function nameAt(value: unknown, path: string): string {
  return textAt(value, path, MAX_NAME);
}

function trackerAt(value: unknown, path: string): TrackerRecord {
  const json = objectAt(value, path);
  return {
    type: oneOfAt(json['type'], `${path}.type`, TRACKERS),
    confidence: oneOfAt(json['confidence'], `${path}.confidence`, CONFIDENCES),
    reasons: listAt(json['reasons'], `${path}.reasons`, MAX_ITEMS, reasonAt),
    cgroupPath: optionalAt(json['cgroupPath'], `${path}.cgroupPath`, groupPathAt),
    scope: optionalAt(json['scope'], `${path}.scope`, scopeAt),
    subreaper: booleanAt(json['subreaper'], `${path}.subreaper`),
    ...(isObject(json['job']) && { job: jobAt(json['job'], `${path}.job`) }),
  };
}

function jobAt(value: unknown, path: string): JobRecord {
  const json = objectAt(value, path);
  return {
    name: matchAt(json['name'], `${path}.name`, /^(Global|Local)\\[A-Za-z0-9._-]{1,240}$/, 'the name of a job object'),
    flags: integerAt(json['flags'], `${path}.flags`, 0, MAX_PID),
  };
}

function reasonAt(value: unknown, path: string): TrackerReason {
  const json = objectAt(value, path);
  return { code: nameAt(json['code'], `${path}.code`), detail: textAt(json['detail'], `${path}.detail`, MAX_TEXT) };
}

/** A group is killed by writing below this path: never the root, never out of the way by `..`. */
function groupPathAt(value: unknown, path: string): string {
  const text = textAt(value, path, MAX_PATH);
  const [top, ...names] = text.split('/');
  if (top !== '' || names.length === 0 || names.some((name) => name === '' || name === '.' || name === '..')) {
    throw new InvalidField(path, 'the absolute path of a group');
  }
  return text;
}

function scopeAt(value: unknown, path: string): string {
  return matchAt(value, path, /^[A-Za-z0-9:_.\\@-]{1,255}$/, 'the name of a unit');
}

function runAt(value: unknown, path: string): RunRecord {
  const json = objectAt(value, path);
  return {
    // A wrapper may be the first process of a container; everything that is ever signalled has a greater pid.
    wrapper: identityAt(json['wrapper'], `${path}.wrapper`, 1),
    root: optionalAt(json['root'], `${path}.root`, (root, at) => identityAt(root, at, 2)),
    argv: listAt(json['argv'], `${path}.argv`, MAX_ITEMS, (word, at) => textAt(word, at, MAX_TEXT)),
    cwd: textAt(json['cwd'], `${path}.cwd`, MAX_PATH),
    tty: optionalAt(json['tty'], `${path}.tty`, nameAt),
    startedAtMs: timeAt(json['startedAtMs'], `${path}.startedAtMs`),
    endedAtMs: optionalAt(json['endedAtMs'], `${path}.endedAtMs`, timeAt),
    exit: optionalAt(json['exit'], `${path}.exit`, exitAt),
    // 0 is what a process sees of a session outside its pid namespace (getsid(2) through proc); on Windows start times.
    callerSids: listAt(json['callerSids'], `${path}.callerSids`, MAX_ITEMS, (sid, at) =>
      integerAt(sid, at, 0, Number.MAX_SAFE_INTEGER),
    ),
  };
}

function identityAt(value: unknown, path: string, minPid: number): Identity {
  const json = objectAt(value, path);
  return {
    pid: integerAt(json['pid'], `${path}.pid`, minPid, MAX_PID),
    startTicks: integerAt(json['startTicks'], `${path}.startTicks`, 0, MAX_TICKS),
    bootId: nameAt(json['bootId'], `${path}.bootId`),
    pidNamespace: nameAt(json['pidNamespace'], `${path}.pidNamespace`),
  };
}

function exitAt(value: unknown, path: string): RunExit {
  const json = objectAt(value, path);
  return {
    code: optionalAt(json['code'], `${path}.code`, (code, at) => integerAt(code, at, 0, MAX_PID)),
    signal: optionalAt(json['signal'], `${path}.signal`, (name, at) =>
      matchAt(name, at, /^SIG[A-Z0-9+-]{1,20}$/, 'the name of a signal'),
    ),
    timedOut: booleanAt(json['timedOut'], `${path}.timedOut`),
  };
}
