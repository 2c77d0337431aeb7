import type { BlockRecord, RunRecord } from '../model/block.ts';
import { isObject, type JsonObject } from './guards.ts';
import { parseBlockText } from './schema.ts';

/** No state file is larger: a reader takes a larger one for foreign. */
export const MAX_RECORD_BYTES = 1_048_576;

/**
 * The text of a state file. `undefined` is written as `null`, so that a field that was emptied does not come back from
 * `previous`: the JSON that the file held before, whose unknown fields are kept (in the block, its tracker and its
 * runs). Argument vectors are cut, and ended runs left out, oldest first, only where the file would grow too large.
 * Throws a plain Error if the record holds what no reader would accept: that is a bug of the caller.
 */
export function serializeBlockRecord(record: BlockRecord, previous?: unknown): string {
  let text = '';
  for (const limits of LIMITS) {
    text = render(limitRecord(record, limits), limits.unknown ? previous : undefined);
    if (Buffer.byteLength(text) <= MAX_RECORD_BYTES) break;
  }
  const check = parseBlockText(text, record.id);
  if (check.status !== 'ok') throw new Error(`internal: block record of "${record.id}": ${check.detail}`);
  return text;
}

interface Limits {
  /** Characters of an argument vector. */
  readonly argv: number;
  readonly runs: number;
  readonly unknown: boolean;
}

const LIMITS: readonly Limits[] = [
  { argv: Number.POSITIVE_INFINITY, runs: Number.POSITIVE_INFINITY, unknown: true },
  { argv: 65_536, runs: Number.POSITIVE_INFINITY, unknown: true },
  { argv: 4096, runs: 500, unknown: true },
  { argv: 256, runs: 100, unknown: true },
  { argv: 256, runs: 20, unknown: false },
];

function limitRecord(record: BlockRecord, limits: Limits): BlockRecord {
  const surplus = record.runs.length - limits.runs;
  const runs = record.runs.filter((run, index) => index >= surplus || run.endedAtMs === undefined);
  return { ...record, runs: runs.map((run) => ({ ...run, argv: limitArgv(run.argv, limits.argv) })) };
}

function limitArgv(argv: readonly string[], maxLength: number): readonly string[] {
  let length = 0;
  for (const [index, word] of argv.entries()) {
    const room = maxLength - length;
    length += word.length + 1;
    if (length > maxLength) return [...argv.slice(0, index), `${word.slice(0, Math.max(room, 0))}…`];
  }
  return argv;
}

function render(record: BlockRecord, previous: unknown): string {
  const known = toJson(record);
  const document = isObject(previous) ? keepUnknown(known, record, previous) : known;
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** A copy with `null` for `undefined`, which JSON.stringify would leave out. */
function toJson(record: BlockRecord): JsonObject {
  return JSON.parse(JSON.stringify(record, (_key, value: unknown) => (value === undefined ? null : value)));
}

function keepUnknown(known: JsonObject, record: BlockRecord, previous: JsonObject): JsonObject {
  const oldRuns = new Map<string, JsonObject>();
  for (const run of Array.isArray(previous['runs']) ? previous['runs'] : []) {
    if (isObject(run) && isObject(run['wrapper'])) oldRuns.set(wrapperKey(run['wrapper']), run);
  }
  const runs = Array.isArray(known['runs']) ? known['runs'] : [];
  return merge(
    {
      ...known,
      tracker: keepUnknownOfTracker(known['tracker'], previous['tracker']),
      runs: runs.map((run: unknown, index) => keepUnknownOfRun(run, record.runs[index], oldRuns)),
    },
    previous,
  );
}

/** Nothing is kept of another kind of tracker, nor of another reason. */
function keepUnknownOfTracker(known: unknown, old: unknown): unknown {
  if (!isObject(known) || !isObject(old) || known['type'] !== old['type']) return known;
  const oldReasons: unknown[] = Array.isArray(old['reasons']) ? old['reasons'] : [];
  const reasons = Array.isArray(known['reasons']) ? known['reasons'] : [];
  const merged = reasons.map((reason: unknown, index) => {
    const before = oldReasons[index];
    const same = isObject(reason) && isObject(before) && reason['code'] === before['code'];
    return same ? merge(reason, before) : reason;
  });
  return merge({ ...known, reasons: merged }, old);
}

function keepUnknownOfRun(
  json: unknown,
  run: RunRecord | undefined,
  oldRuns: ReadonlyMap<string, JsonObject>,
): unknown {
  const old = run === undefined ? undefined : oldRuns.get(wrapperKey({ ...run.wrapper }));
  if (old === undefined || !isObject(json)) return json;
  const nested = ['wrapper', 'root', 'exit'].map((name) => [name, merge(json[name], old[name])]);
  return merge({ ...json, ...Object.fromEntries(nested) }, old);
}

function wrapperKey(wrapper: JsonObject): string {
  return [wrapper['pid'], wrapper['startTicks'], wrapper['bootId']].map(String).join(' ');
}

function merge<T>(known: T, previous: unknown): T | JsonObject {
  if (!isObject(known) || !isObject(previous)) return known;
  const unknown = Object.entries(previous).filter(([name, value]) => !Object.hasOwn(known, name) && !isDeep(value));
  // Object.fromEntries defines, never assigns: a field named `__proto__` stays a field.
  return Object.fromEntries([...Object.entries(known), ...unknown]);
}

/** What is nested deeper than JSON.stringify may descend without running out of stack is not carried along. */
function isDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth > 100 || Object.values(value).some((item) => isDeep(item, depth + 1));
}
