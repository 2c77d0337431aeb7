import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { AgentmuxError } from '../errors.ts';
import { renderJsonLine } from '../render/json.ts';
import { loadScreenWidth } from '../render/screen-width.ts';
import { escapeUntrusted } from '../render/untrusted.ts';
import { createActions } from '../watch/actions.ts';
import { toDocument } from '../watch/documents.ts';
import { runWatch } from '../watch/loop.ts';
import type { Observer } from '../watch/observer.ts';
import { dieOf } from '../watch/signals.ts';
import { openTerminal } from '../watch/terminal.ts';
import { listProcesses } from './ps.ts';
import { examplesHelp } from './shared/help.ts';
import { findKiller } from './shared/killer.ts';
import { openKillWorld } from './shared/lookup.ts';
import { everyTick } from './shared/ticks.ts';
import {
  addWatchingOptions,
  openObserver,
  parseCount,
  parseInterval,
  type RawWatchingOptions,
} from './shared/watching.ts';

/** `agentmux watch`: the live view of blocks and processes. */
export function registerWatch(program: Command, context: Context): void {
  const command = program
    .command('watch')
    .summary('watch agents and what they started, live')
    .description(
      'Show the blocks and, below them, what the agent of the selected one started, and keep it up to date. ? lists the ' +
        'keys. Off a terminal, or on a dumb one, it prints what "agentmux ps" prints, once.',
    );
  addWatchingOptions(command, {
    all: 'begin with every process of a block, the agent and its own helpers included',
    json: 'print one JSON document a look, each on a line of its own',
    count: 'with --json: end after so many documents',
  })
    .option('--no-ports', 'do not look for listening ports')
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action((options: RawOptions) => watch(context, options));
}

const EXAMPLES = [
  ['agentmux watch', 'all live blocks'],
  ['agentmux watch --block claude-k3f9', 'one block, and those started inside it'],
  ['agentmux watch --json --interval 10', 'a document every 10 s, for scripts'],
  ['agentmux watch --json --count 1', 'one document'],
] as const;

interface RawOptions extends RawWatchingOptions {
  readonly ports: boolean;
}

async function watch(context: Context, options: RawOptions): Promise<void> {
  const intervalMs = parseInterval(options.interval);
  const count = parseCount(options.count);
  if (count !== undefined && options.json !== true) throw new AgentmuxError('usage', '--count is for --json');
  if (options.json === true) return printDocuments(context, options, intervalMs, count ?? Number.POSITIVE_INFINITY);
  const isScreen = context.stdout.isTTY && context.stdinIsTTY && (context.env['TERM'] ?? 'dumb') !== 'dumb';
  if (!isScreen) return listProcesses(context, { ...options, trunc: true });
  return showScreen(
    context,
    openObserver(context, { ...options, block: options.block, command: 'watch' }),
    options,
    intervalMs,
  );
}

function printDocuments(context: Context, options: RawOptions, intervalMs: number, count: number): Promise<void> {
  const observer = openObserver(context, { ...options, block: options.block, command: 'watch' });
  let printed = 0;
  return everyTick(context.stdout, intervalMs, () => {
    const observation = observer.look({ rows: 'all', selected: undefined });
    const document = toDocument(observation, options.all ?? false);
    context.stdout.write(renderJsonLine({ ...document, warnings: observer.unreadable }));
    printed += 1;
    return printed < count;
  });
}

async function showScreen(
  context: Context,
  observer: Observer,
  options: RawOptions,
  intervalMs: number,
): Promise<void> {
  const { unicode } = context;
  const actions = createActions({
    platform: context.platform,
    pid: context.pid,
    records: () => observer.records,
    openWorld: (record, records) => openKillWorld(context, record, records),
    findKiller: (records) => findKiller(context.platform, context.pid, records),
    onEnded: (blockId, members) => remember(context, blockId, members),
  });
  const ending = await runWatch({
    terminal: openTerminal((text) => context.stdout.write(text)),
    // Any process may have a name in any script: the measure for all of them is loaded at once.
    view: { colorLevel: context.stdout.colorLevel, unicode, textWidth: await loadScreenWidth() },
    intervalMs,
    all: options.all ?? false,
    now: () => context.now(),
    observe: (attention) => observer.look(attention),
    expectChange: () => observer.expectChange(),
    actions,
  });
  for (const id of actions.frozenBlocks()) {
    context.stderr.write(`${escapeUntrusted(id)} is still frozen: agentmux watch, p thaws it\n`);
  }
  if (ending !== undefined) await dieOf(ending);
}

/** So that ending them again says `already gone`. Reading state must do where it cannot be written. */
function remember(context: Context, blockId: string, members: Parameters<Context['store']['record']>[1]): void {
  try {
    if (members.length > 0) context.store.record(blockId, members, 'reader');
  } catch (error) {
    if (!(error instanceof AgentmuxError)) throw error;
  }
}
