import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { AgentmuxError } from '../../errors.ts';
import type { BlockRecord } from '../../model/block.ts';
import { escapeUntrusted } from '../../render/untrusted.ts';
import { inspectBlock } from '../../trackers/inspect.ts';
import { familyOf } from '../../trackers/subject.ts';
import { Observer, type ObserverOptions } from '../../watch/observer.ts';
import { createEntriesWatcher } from './entries.ts';
import { openKept } from './kept.ts';
import { parseSpan } from './kill-options.ts';
import { recordSeen } from './listing.ts';
import { addBlockOption } from './listing-options.ts';
import { inspectDepsOf, openLookup } from './lookup.ts';
import { summarize } from './summaries.ts';
import { type BlockOption, selectListed } from './target.ts';

export interface WatchingRequest {
  readonly block: BlockOption;
  readonly ports: boolean;
  readonly redact: boolean;
  /** What was typed, for hints. */
  readonly command: string;
}

/**
 * An observer of the named block and those inside it, or of all that have something alive. Throws AgentmuxError as
 * selectListed does. Says on standard error which state files cannot be read.
 */
export function openObserver(context: Context, request: WatchingRequest): Observer {
  const named = request.block === undefined ? undefined : nameBlocks(context, request);
  const observer = new Observer({
    platform: context.platform,
    store: context.store,
    now: () => context.now(),
    summarize,
    ports: request.ports,
    redact: request.redact,
    inspect: (record, known) => inspectBlock(record, { ...inspectDepsOf(context, known.records), ...known }),
    tell: createTeller(context),
    onNet: (view) => recordSeen(context, view),
    isWatched: (record, records) => named === undefined || isWithin(record, records, named),
  });
  for (const { path, reason, detail } of context.store.list().unreadable) {
    context.stderr.write(`warning: ${escapeUntrusted(path)} is not used (${reason}): ${escapeUntrusted(detail)}\n`);
  }
  return observer;
}

/** The flags that `watch` and `events` share, as commander leaves them. */
export interface RawWatchingOptions {
  readonly block?: BlockOption;
  readonly all?: boolean;
  readonly json?: boolean;
  readonly interval?: string;
  readonly count?: string;
  readonly redact: boolean;
}

/** Adds them; the texts say what `--all`, `--json` and `--count` mean there. */
export function addWatchingOptions(
  command: Command,
  texts: { readonly all: string; readonly json: string; readonly count: string },
): Command {
  return addBlockOption(command)
    .option('-a, --all', texts.all)
    .option('--json', texts.json)
    .option('--interval <time>', 'time between two looks, e.g. 1, 500ms, 10s; 2s if not given')
    .option('--count <number>', texts.count)
    .option('--no-redact', 'show secrets in command lines');
}

/** What calls, entries and marks tell of a block. */
function createTeller(context: Context): NonNullable<ObserverOptions['tell']> {
  const readEntries = createEntriesWatcher(context);
  return (view, portsOf) => {
    const { record, members } = view;
    const { entries, labels, entryOf, isSettled } = readEntries(view, portsOf);
    const kept = openKept(context, [record])(record, members);
    return { list: entries, calls: labels, entries: entryOf, kept, isSettled };
  };
}

/** The span between two looks, ms. Throws a usage error. */
export function parseInterval(text: string | undefined): number {
  if (text === undefined) return INTERVAL_MS;
  const ms = parseSpan(text, '--interval');
  if (ms >= SHORTEST_MS && ms <= LONGEST_MS) return ms;
  throw new AgentmuxError('usage', `"${text}" is no span for --interval`, { hint: 'from 100ms to 1h' });
}

/** A count from 1 up. Throws a usage error. */
export function parseCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new AgentmuxError('usage', `"${text}" is no count`, { hint: 'a whole number from 1 up' });
}

const INTERVAL_MS = 2000;
const SHORTEST_MS = 100;
const LONGEST_MS = 3_600_000;

function nameBlocks(context: Context, { block, command }: WatchingRequest): ReadonlySet<string> {
  const { lookup, caller } = openLookup(context, command);
  return new Set(selectListed(block, lookup, caller).map(({ record }) => record.id));
}

function isWithin(record: BlockRecord, records: readonly BlockRecord[], named: ReadonlySet<string>): boolean {
  return records.some((one) => named.has(one.id) && familyOf(one, records).some(({ id }) => id === record.id));
}
