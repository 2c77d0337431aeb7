import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { AgentmuxError } from '../errors.ts';
import { addMark, makeMark, pidsOf } from '../kill/kept-marks.ts';
import type { KeptMark } from '../model/entry.ts';
import { formatCount } from '../render/format.ts';
import { renderJson } from '../render/json.ts';
import { escapeUntrusted } from '../render/untrusted.ts';
import { inspectBlock, type MemberView } from '../trackers/inspect.ts';
import { outliveWrapper } from '../trackers/job-limits.ts';
import { moveToKept } from '../trackers/kept-group.ts';
import { type ChosenMembers, chooseMembers } from './shared/choose-members.ts';
import { examplesHelp } from './shared/help.ts';
import { inspectDepsOf } from './shared/lookup.ts';
import { recordJob } from './shared/record-job.ts';
import type { BlockLookup, BlockOption } from './shared/target.ts';

interface KeepOptions {
  readonly block?: BlockOption;
  readonly note?: string;
  readonly json?: boolean;
}

/** Adds `agentmux keep`. */
export function registerKeep(program: Command, context: Context): void {
  program
    .command('keep')
    .summary('keep something that an agent started')
    .description(
      'Mark an entry, or a process with all below it, as wanted: the end of its agent, --leftovers kill and kill-tree leave ' +
        'it alone, unless --including-kept is given. It stays a member of its block, and kill still ends it by name. In a ' +
        'systemd session it ends with the last logout all the same, unless the user lingers.',
    )
    .argument('<target...>', 'an entry such as p2, pid, pid:starttime, or :port')
    .option('--block [id]', 'only members of this block, by its id or a unique prefix; without one the block we are in')
    .option('--note <text>', 'why, for whoever wonders later')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examplesHelp([
        ['agentmux keep p2', 'keep an entry'],
        ["agentmux keep :5173 --note 'demo until friday'", 'keep the server on a port'],
        ['agentmux release p2', 'end it with its block again'],
      ]),
    )
    .action((targets: string[], options: KeepOptions) => keep(context, targets, options));
}

/** One thing that is kept now, as it is printed. */
interface Kept {
  readonly blockId: string;
  readonly entryId: string | undefined;
  readonly pids: readonly number[];
  readonly command: string;
  readonly note: string | undefined;
  /** True if it stands in a group that no kill of its block reaches; else it is spared one by one. */
  readonly moved: boolean;
}

async function keep(context: Context, targets: readonly string[], options: KeepOptions): Promise<void> {
  const note = parseNote(options.note);
  const { chosen, lookup } = await chooseMembers(context, targets, options.block, 'keep');
  const kept: Kept[] = [];
  for (const one of chosen) kept.push(await keepOne(context, one, note, lookup));
  if (options.json) return context.stdout.write(renderJson({ kept }));
  for (const { blockId, entryId, pids, command, moved } of kept) {
    const name = entryId ?? String(pids[0]);
    const what = `${name} of ${blockId}, ${formatCount(pids.length, 'process', 'processes')}: ${command}`;
    context.stdout.write(`kept ${escapeUntrusted(what)}\n`);
    if (!moved) context.stderr.write(`${name} stays where its block is: it is spared process by process\n`);
  }
}

async function keepOne(
  context: Context,
  { view, entry, members }: ChosenMembers,
  note: string | undefined,
  lookup: BlockLookup,
): Promise<Kept> {
  const { platform, store } = context;
  const { record } = view;
  const { bootId } = platform.host();
  const mark = makeMark({
    chosen: members,
    members: view.members,
    entryId: entry?.id,
    command: entry?.command,
    note,
    bootId,
    nowMs: context.now(),
  });
  const lock = await store.lock(record.id, LOCK_MS);
  try {
    store.writeKept(record.id, addMark(store.kept(record.id), mark, view.members));
  } finally {
    lock.release();
  }
  await recordJob(context, record.id, outliveWrapper(record, platform));
  const look = () => inspectBlock(record, inspectDepsOf(context, lookup.records)).members;
  const moved = moveToKept(record, () => movable(look(), mark, bootId, context.pid));
  const pids = [...pidsOf(mark, look(), bootId)].sort((a, b) => a - b);
  return { blockId: record.id, entryId: entry?.id, pids, command: mark.command, note, moved };
}

/** What left the group of its block stands in one that is not ours to change. */
function movable(members: readonly MemberView[], mark: KeptMark, bootId: string, ownPid: number): readonly number[] {
  const kept = pidsOf(mark, members, bootId);
  return members.flatMap(({ pid, source }) => (source === 'enclosure' && kept.has(pid) && pid !== ownPid ? pid : []));
}

const LOCK_MS = 3000;
const MAX_NOTE = 500;

function parseNote(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const note = text.trim();
  if (note !== '' && note.length <= MAX_NOTE && !note.includes('\0')) return note;
  throw new AgentmuxError('usage', `a note has from 1 to ${MAX_NOTE} characters`, { code: 'bad-note' });
}
