import { profileForCommand } from '../agents/command.ts';
import { AgentmuxError, LaunchError, RunExitCode } from '../errors.ts';
import type { BlockRecord, RunRecord, TrackerRecord } from '../model/block.ts';
import type { Platform } from '../platform/platform.ts';
import { readRandom } from '../platform/random.ts';
import { newBlockId } from '../state/ids.ts';
import type { Lock, Store } from '../state/store.ts';
import { type BlockChoice, chooseBlock } from './choose-block.ts';
import { createMemoryStore } from './memory-store.ts';
import type { RunOptions } from './options.ts';
import type { Reporter } from './reporter.ts';
import type { LaunchWorld } from './world.ts';

/** A block that is named and not written yet. */
export interface DraftBlock {
  readonly store: Store;
  readonly choice: BlockChoice;
  /** Nonce of the block: a new one, or that of the block that is run again. */
  readonly tag: string;
  /** The record of its earlier runs. */
  readonly before: BlockRecord | undefined;
  /** The base of a new name. */
  readonly base: string;
}

/** Opens the store, or its stand-in, which is told in one line. */
export function openRunStore(world: LaunchWorld, reporter: Reporter): Store {
  try {
    const { store } = world;
    if (world.storeNote !== undefined) reporter.note(world.storeNote);
    return store;
  } catch (error) {
    return fallBack(error, reporter);
  }
}

/** Names the block of this run. Creates nothing. */
export function draftBlock(
  store: Store,
  options: RunOptions,
  command: readonly string[],
  world: LaunchWorld,
  reporter: Reporter,
): DraftBlock {
  const choice = chooseBlock(
    {
      asked: options.block,
      inherited: world.env['AGENTMUX_BLOCKID'],
      isKnown: (id) => isKnown(store, id),
      read: (id) => store.read(id),
      findObstacle: (record) => findObstacle(record, world.platform),
    },
    (text) => reporter.note(text),
  );
  const before = choice.type === 'again' ? choice.record : undefined;
  const base = profileForCommand(command)?.id ?? command[0] ?? '';
  return { store, choice, before, base, tag: before?.tag ?? newNonce() };
}

/** The name that the block will get, or would get. */
export function proposeName({ choice, base }: Pick<DraftBlock, 'choice' | 'base'>): BlockName {
  const { parentId } = choice;
  if (choice.type === 'named') return { id: choice.id, parentId };
  if (choice.type === 'again') return { id: choice.record.id, parentId };
  return { id: newBlockId(base, Math.random), parentId };
}

/** What a run writes of its block at first. */
export interface FirstRecord {
  readonly run: RunRecord;
  readonly options: RunOptions;
  readonly tracker: TrackerRecord;
}

/** The name and the parent of a block. */
export interface BlockName {
  readonly id: string;
  readonly parentId: string | undefined;
}

export function buildRecord(draft: DraftBlock, name: BlockName, first: FirstRecord, platform: Platform): BlockRecord {
  return {
    ...draft.before,
    ...name,
    schemaVersion: 1,
    tag: draft.tag,
    machineId: platform.host().machineId,
    agent: profileForCommand(first.run.argv)?.id,
    kind: first.options.terminal ? 'terminal' : 'agent',
    createdAtMs: draft.before?.createdAtMs ?? first.run.startedAtMs,
    state: 'starting',
    leftovers: first.options.leftovers,
    tracker: first.tracker,
    runs: [...(draft.before?.runs ?? []), first.run],
  };
}

/**
 * Writes the record for the first time: exclusively under a new name, under the block's lock for one more run. Resolves
 * to the record as written and the store that holds it. Throws LaunchError 125 if the name was taken meanwhile.
 */
export async function writeFirst(
  draft: DraftBlock,
  build: (name: BlockName) => BlockRecord,
  platform: Platform,
  reporter: Reporter,
): Promise<{ readonly store: Store; readonly record: BlockRecord }> {
  try {
    if (draft.before !== undefined) return { store: draft.store, record: await writeAgain(draft, build, platform) };
    return { store: draft.store, record: createNew(draft, build) };
  } catch (error) {
    if (!(error instanceof AgentmuxError) || error.code !== 'state-unwritable') throw error;
    const store = fallBack(error, reporter);
    const record = build(proposeName(draft));
    store.create(record);
    return { store, record };
  }
}

/** 128 bits: nobody guesses the tag of another block. */
function newNonce(): string {
  return readRandom(16).toString('hex');
}

function fallBack(error: unknown, reporter: Reporter): Store {
  if (!(error instanceof AgentmuxError)) throw error;
  reporter.note(`not recorded: ${error.message}`);
  return createMemoryStore();
}

function isKnown(store: Store, id: string): boolean {
  try {
    return store.read(id) !== undefined;
  } catch {
    // Unreadable, so it is there.
    return true;
  }
}

/** Two runs of a block at a time would share one enclosure and one record. */
function findObstacle(record: BlockRecord, platform: Platform): string | undefined {
  const host = platform.host();
  if (record.machineId !== host.machineId) return 'is of another machine';
  const run = record.runs.at(-1);
  if (run === undefined) return undefined;
  if (run.wrapper.bootId === host.bootId && run.wrapper.pidNamespace !== host.pidNamespace) {
    return 'is of another pid namespace';
  }
  if (platform.isAlive(run.wrapper)) return `is running (agentmux-run is pid ${run.wrapper.pid})`;
  if (run.root !== undefined && platform.isAlive(run.root)) return `is running (its agent is pid ${run.root.pid})`;
  return undefined;
}

function createNew(draft: DraftBlock, build: (name: BlockName) => BlockRecord): BlockRecord {
  let { choice } = draft;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const record = build(proposeName({ choice, base: draft.base }));
    if (draft.store.create(record)) return record;
    if (choice.type !== 'named') continue;
    if (choice.isAsked) {
      throw new LaunchError(RunExitCode.failed, `block "${record.id}" has just been taken by another run`);
    }
    // Two agents of one host: the one that came second is a child, as it would be a moment later.
    choice = { type: 'new', parentId: choice.id };
  }
  throw new LaunchError(RunExitCode.failed, 'found no free name for the block', { hint: 'agentmux prune' });
}

async function writeAgain(
  draft: DraftBlock,
  build: (name: BlockName) => BlockRecord,
  platform: Platform,
): Promise<BlockRecord> {
  const name = proposeName(draft);
  const { id } = name;
  const lock: Lock = await draft.store.lock(id, lockWaitMs);
  try {
    const now = draft.store.read(id);
    const obstacle = now === undefined ? undefined : findObstacle(now, platform);
    if (obstacle !== undefined) throw new LaunchError(RunExitCode.failed, `block "${id}" ${obstacle}`);
    const record = build(name);
    if (now === undefined) draft.store.create(record);
    else draft.store.write(record);
    return record;
  } finally {
    lock.release();
  }
}

/** Writing a record takes a few ms; more is another command that hangs. */
const lockWaitMs = 2000;
