import fs from 'node:fs';
import path from 'node:path';
import { AgentmuxError } from '../errors.ts';
import type { BlockRecord } from '../model/block.ts';
import type { EntryBook, KeptMark } from '../model/entry.ts';
import { emptyBook } from '../model/entry.ts';
import { removeCallsDirectory } from './calls-directory.ts';
import { checkDirectory, type DirectoryAccess, ensureDirectory } from './directory.ts';
import { MAX_ENTRIES_BYTES, parseEntries, serializeEntries } from './entries-file.ts';
import { isValidBlockId } from './ids.ts';
import { MAX_KEPT_BYTES, parseKept, serializeKept } from './kept-file.ts';
import { acquireLock, lockAddress, removeLockFile } from './lock.ts';
import { appendMarks, readMarks } from './marks-file.ts';
import { appendMembers, memberKey, readMembers } from './members-file.ts';
import { type FileText, readFileText } from './read-file.ts';
import { type ParseResult, parseBlockText } from './schema.ts';
import { MAX_RECORD_BYTES, serializeBlockRecord } from './serialize.ts';
import type {
  BlockListing,
  ListOptions,
  Lock,
  RecordedMember,
  RememberedMarks,
  Store,
  UnreadableRecord,
} from './store.ts';
import { sweepLeftovers } from './sweep.ts';
import { describeFailure } from './system-error.ts';
import { createFile, removeFile, removeQuietly, replaceFile } from './whole-file.ts';

export interface StoreOptions extends DirectoryAccess {
  /** Absolute; see resolveStateDirectory. */
  readonly directory: string;
  readonly machineId: string;
  /** Whether a recorded member lives: asked only when a file of members is compacted. Without it all are kept. */
  readonly isMemberAlive?: (member: RecordedMember) => boolean;
}

/**
 * Opens the state directory, which need not exist: it is made by the first create, never by reading.
 * Throws AgentmuxError with code `state-untrusted` or `state-unwritable` (see checkDirectory).
 */
export function openStore(options: StoreOptions): Store {
  const store = new FileStore(options);
  store.isThere();
  return store;
}

class FileStore implements Store {
  readonly directory: string;
  readonly #blocks: string;
  readonly #options: StoreOptions;

  constructor(options: StoreOptions) {
    this.directory = options.directory;
    this.#blocks = path.join(options.directory, 'blocks');
    this.#options = options;
  }

  /** Looked at anew by every operation: a wrapper lives for days. */
  isThere(): boolean {
    return checkDirectory(this.directory, this.#options) && checkDirectory(this.#blocks, this.#options);
  }

  list(options: ListOptions = {}): BlockListing {
    const blocks: BlockRecord[] = [];
    const unreadable: UnreadableRecord[] = [];
    if (!this.isThere()) return { blocks, unreadable };
    for (const id of this.#ids()) {
      const result = this.#load(id);
      if (result.status === 'ok') blocks.push(result.record);
      else if (result.status === 'unreadable') unreadable.push(this.#describe(id, result));
    }
    if (options.sweepAtMs !== undefined) sweepLeftovers(this.#blocks, options.sweepAtMs);
    blocks.sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
    return { blocks, unreadable };
  }

  read(id: string): BlockRecord | undefined {
    if (!isValidBlockId(id) || !this.isThere()) return undefined;
    const result = this.#load(id);
    if (result.status === 'missing') return undefined;
    if (result.status === 'ok') return result.record;
    // Where case does not count it may be the file of another block, which is read by its own name.
    if (!this.#ids().includes(id)) return undefined;
    throw this.#refuse(id, result);
  }

  create(record: BlockRecord): boolean {
    const file = this.#file(record.id, '.json');
    const text = serializeBlockRecord(record);
    this.#ensure();
    this.#refuseCaseClash(record.id);
    return describeFailure('write the state file', file, () => createFile(file, text));
  }

  write(record: BlockRecord): void {
    const file = this.#file(record.id, '.json');
    this.#ensure();
    const before = this.#load(record.id);
    if (before.status === 'unreadable' && before.reason === 'newer') throw this.#refuse(record.id, before);
    // A torn file is healed: this record is the whole truth but for the fields of newer versions.
    const text = serializeBlockRecord(record, before.status === 'ok' ? JSON.parse(before.text) : undefined);
    describeFailure('write the state file', file, () => replaceFile(file, text));
  }

  remove(id: string): void {
    const file = this.#file(id, '.json');
    if (!this.isThere()) return;
    const before = this.#load(id);
    if (before.status === 'unreadable') throw this.#refuse(id, before);
    if (before.status === 'ok' && before.record.machineId !== this.#options.machineId) {
      throw new AgentmuxError('refused', `block "${id}" belongs to another machine`, { code: 'elsewhere' });
    }
    describeFailure('remove the state file', file, () => removeFile(file));
    for (const suffix of SIBLING_SUFFIXES) removeQuietly(this.#file(id, suffix));
    removeCallsDirectory(this.directory, id);
    removeLockFile(this.directory, id);
  }

  record(id: string, members: readonly RecordedMember[], writer: 'wrapper' | 'reader'): void {
    const file = this.#file(id, writer === 'wrapper' ? '.members' : '.seen');
    this.isThere();
    const isAlive = this.#options.isMemberAlive ?? (() => true);
    describeFailure('write the state file', file, () => appendMembers(file, members, isAlive));
  }

  recorded(id: string): RecordedMember[] {
    const all = MEMBER_SUFFIXES.flatMap((suffix) => readMembers(this.#file(id, suffix)));
    return [...new Map(all.map((member) => [memberKey(member), member])).values()];
  }

  rememberMarks(id: string, marks: RememberedMarks): void {
    const file = this.#file(id, '.marks');
    this.isThere();
    const isAlive = this.#options.isMemberAlive ?? (() => true);
    describeFailure('write the state file', file, () => appendMarks(file, marks, isAlive));
  }

  marks(id: string): RememberedMarks {
    return readMarks(this.#file(id, '.marks'));
  }

  entries(id: string): EntryBook {
    const file = readFileText(this.#file(id, '.entries'), MAX_ENTRIES_BYTES, this.#options.uid);
    if (file.status === 'missing') return emptyBook;
    return file.status === 'ok' ? parseEntries(file.text) : { ...emptyBook, next: UNKNOWN_NEXT };
  }

  writeEntries(id: string, book: EntryBook): void {
    this.#replace(id, '.entries', serializeEntries(book));
  }

  kept(id: string): readonly KeptMark[] {
    const file = readFileText(this.#file(id, '.kept'), MAX_KEPT_BYTES, this.#options.uid);
    if (file.status === 'missing') return [];
    const marks = file.status === 'ok' ? parseKept(file.text) : undefined;
    if (marks !== undefined) return marks;
    const detail = file.status === 'ok' ? 'it is torn' : file.detail;
    throw new AgentmuxError('failed', `what is kept of block "${id}" cannot be read: ${detail}`, {
      hint: `look at "${this.#file(id, '.kept')}" and move it away`,
      code: 'unreadable-record',
    });
  }

  writeKept(id: string, marks: readonly KeptMark[]): void {
    this.#replace(id, '.kept', serializeKept(marks));
  }

  async lock(id: string, waitMs: number): Promise<Lock> {
    this.#file(id, '.json');
    ensureDirectory(this.directory, this.#options);
    return acquireLock(await lockAddress(this.directory, this.#options.uid, id), `block "${id}"`, waitMs);
  }

  #replace(id: string, suffix: (typeof SIBLING_SUFFIXES)[number], text: string): void {
    const file = this.#file(id, suffix);
    this.isThere();
    describeFailure('write the state file', file, () => replaceFile(file, text, suffix === '.kept'));
  }

  #ensure(): void {
    ensureDirectory(this.directory, this.#options);
    ensureDirectory(this.#blocks, this.#options);
  }

  /** By file name, not checked: what is no id is reported as unreadable. */
  #ids(): string[] {
    const names = describeFailure('read the state directory', this.#blocks, () => fs.readdirSync(this.#blocks));
    return names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).map((name) => name.slice(0, -5));
  }

  #load(id: string): Loaded {
    if (!isValidBlockId(id)) return { status: 'unreadable', reason: 'foreign', detail: 'the file name is no block id' };
    const file = readFileText(this.#file(id, '.json'), MAX_RECORD_BYTES, this.#options.uid);
    if (file.status !== 'ok') return file;
    const parsed = parseBlockText(file.text, id);
    return parsed.status === 'ok' ? { ...parsed, text: file.text } : parsed;
  }

  /** Path of a file of the block. An id that is none is a bug of the caller: it would name another file. */
  #file(id: string, suffix: '.json' | (typeof SIBLING_SUFFIXES)[number]): string {
    if (!isValidBlockId(id)) throw new Error(`internal: "${id}" is no block id`);
    return path.join(this.#blocks, id + suffix);
  }

  /** Two ids that differ only in case are one file on Windows and macOS, where a home may be shared with. */
  #refuseCaseClash(id: string): void {
    const folded = id.toLowerCase();
    const clash = this.#ids().find((other) => other !== id && other.toLowerCase() === folded);
    if (clash === undefined) return;
    throw new AgentmuxError('refused', `block id "${id}" differs from "${clash}" only in case`, {
      hint: `agentmux-run --block ${clash}`,
      code: 'id-case-clash',
    });
  }

  #describe(id: string, { reason, detail }: Unreadable): UnreadableRecord {
    return { path: path.join(this.#blocks, `${id}.json`), id, reason, detail };
  }

  #refuse(id: string, result: Unreadable): AgentmuxError {
    const { path: file, reason, detail } = this.#describe(id, result);
    return new AgentmuxError('failed', `the record of block "${id}" cannot be used (${reason}): ${detail}`, {
      hint: reason === 'newer' ? 'use the newer agentmux that wrote it' : `look at "${file}" and move it away`,
      code: 'unreadable-record',
    });
  }
}

/** Where a file of entries cannot be read: no number that was given before is given again. */
const UNKNOWN_NEXT = 10_001;
const MEMBER_SUFFIXES = ['.members', '.seen'] as const;
const SIBLING_SUFFIXES = [...MEMBER_SUFFIXES, '.marks', '.entries', '.kept'] as const;

type Unreadable = Extract<ParseResult | FileText, { status: 'unreadable' }>;
type Loaded =
  | { readonly status: 'ok'; readonly record: BlockRecord; readonly text: string }
  | { readonly status: 'missing' }
  | Unreadable;
