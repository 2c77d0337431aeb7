import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { AgentmuxError } from '../errors.ts';
import { renderEventLine } from '../render/event-line.ts';
import { renderJsonLine } from '../render/json.ts';
import { type Change, ChangeFinder } from '../watch/changes.ts';
import { toDocument, toJsonBlock, toJsonEntry, toJsonProcess } from '../watch/documents.ts';
import type { Observation } from '../watch/observation.ts';
import { examplesHelp } from './shared/help.ts';
import { everyTick } from './shared/ticks.ts';
import {
  addWatchingOptions,
  openObserver,
  parseCount,
  parseInterval,
  type RawWatchingOptions,
} from './shared/watching.ts';

/** `agentmux events`: what comes, changes and goes, a line each. */
export function registerEvents(program: Command, context: Context): void {
  const command = program
    .command('events')
    .summary('print what starts and ends, a line each')
    .description(
      'Print a line for each process that an agent starts and that ends, and for each block and entry that comes, changes ' +
        'or ends, as looks every 2 s find them: what lives for less than that may never be seen. It begins with what changes ' +
        'from now on, with --since by telling all that is there. Ends when its reader does.',
    );
  addWatchingOptions(command, {
    all: 'every process of a block, the agent and its own helpers included',
    json: 'print one JSON document an event, each on a line of its own',
    count: 'end after so many events, those of the snapshot not counted',
  })
    .option('--since <cursor>', 'go on after this cursor; one of another run of events brings a snapshot first')
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action((options: RawOptions) => printEvents(context, options));
}

const EXAMPLES = [
  ['agentmux events', 'what agents start and what of it ends'],
  ['agentmux events --json --since 0.0', 'first all that is there, for a program that keeps a copy'],
  ['agentmux events --all --block claude-k3f9', 'every process of one block'],
] as const;

interface RawOptions extends RawWatchingOptions {
  readonly since?: string;
}

function printEvents(context: Context, options: RawOptions): Promise<void> {
  const intervalMs = parseInterval(options.interval);
  const count = parseCount(options.count) ?? Number.POSITIVE_INFINITY;
  const { since, all = false } = options;
  if (since !== undefined && !CURSOR.test(since)) {
    throw new AgentmuxError('usage', `"${since}" is no cursor`, {
      hint: 'take "cursor" of an event of agentmux events --json',
    });
  }
  const observer = openObserver(context, {
    block: options.block,
    ports: true,
    redact: options.redact,
    command: 'events',
  });
  const print = createPrinter(context, options.json === true);
  const finder = new ChangeFinder(all);
  let isFirst = true;
  let printed = 0;
  return everyTick(context.stdout, intervalMs, () => {
    const observation = observer.look({ rows: new Set(), selected: undefined });
    const changes = finder.next(observation);
    // The first look finds what is there: news only to those who had other news before.
    if (isFirst && since !== undefined) print.snapshot(observation, changes, all);
    const news = isFirst ? [] : changes.slice(0, count - printed);
    for (const change of news) print.change(observation.atMs, change);
    printed += news.length;
    isFirst = false;
    return printed < count;
  });
}

/** Run of the command, and number of the event in it. */
const CURSOR = /^[0-9a-f]{1,16}\.\d{1,15}$/;

interface Printer {
  change(atMs: number, change: Change): void;
  /** All that is there. */
  snapshot(observation: Observation, changes: readonly Change[], all: boolean): void;
}

function createPrinter(context: Context, json: boolean): Printer {
  const run = randomBytes(4).toString('hex');
  let last = 0;
  const write = (atMs: number, type: string, fields: object): void => {
    last += 1;
    context.stdout.write(renderJsonLine({ cursor: `${run}.${last}`, atMs, type, ...fields }));
  };
  if (json) {
    return {
      change: (atMs, change) => write(atMs, change.type, toFields(change)),
      snapshot(observation, _changes, all) {
        const { atMs, ...document } = toDocument(observation, all);
        write(atMs, 'snapshot', document);
      },
    };
  }
  const change = (atMs: number, one: Change): void => context.stdout.write(renderEventLine(atMs, one.type, one));
  return {
    change,
    snapshot(observation, changes) {
      for (const one of changes) change(observation.atMs, one);
    },
  };
}

function toFields(change: Change): object {
  if ('block' in change) return { blockId: change.block.id, block: toJsonBlock(change.block) };
  if ('entry' in change) return { blockId: change.blockId, entry: toJsonEntry(change.blockId, change.entry) };
  return { blockId: change.row.blockId, process: toJsonProcess(change.row) };
}
