import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { AgentmuxError } from '../errors.ts';
import { dropEnded, pidsOf } from '../kill/kept-marks.ts';
import type { KeptMark } from '../model/entry.ts';
import { formatCount } from '../render/format.ts';
import { renderJson } from '../render/json.ts';
import { escapeUntrusted } from '../render/untrusted.ts';
import { inspectBlock } from '../trackers/inspect.ts';
import { moveBack, readKeptPids } from '../trackers/kept-group.ts';
import { type ChosenMembers, chooseMembers } from './shared/choose-members.ts';
import { examplesHelp } from './shared/help.ts';
import { openKept } from './shared/kept.ts';
import { inspectDepsOf } from './shared/lookup.ts';
import type { BlockLookup, BlockOption } from './shared/target.ts';

interface ReleaseOptions {
  readonly block?: BlockOption;
  readonly json?: boolean;
}

/** Adds `agentmux release`. */
export function registerRelease(program: Command, context: Context): void {
  program
    .command('release')
    .summary('undo keep')
    .description(
      'Take back what "agentmux keep" said of an entry or a process: it ends with its block again. Ends nothing.',
    )
    .argument('<target...>', 'an entry such as p2, pid, pid:starttime, or :port')
    .option('--block [id]', 'only members of this block, by its id or a unique prefix; without one the block we are in')
    .option('--json', 'print one JSON document')
    .addHelpText('after', examplesHelp([['agentmux release p2', 'end it with its block again']]))
    .action((targets: string[], options: ReleaseOptions) => release(context, targets, options));
}

/** One mark that was taken away, as it is printed. */
interface Released {
  readonly blockId: string;
  readonly entryId: string | undefined;
  readonly pids: readonly number[];
  readonly command: string;
  readonly note: string | undefined;
}

async function release(context: Context, targets: readonly string[], options: ReleaseOptions): Promise<void> {
  const { chosen, lookup } = await chooseMembers(context, targets, options.block, 'release');
  const released: Released[] = [];
  for (const one of chosen) released.push(...(await releaseOne(context, one, lookup)));
  if (options.json) return context.stdout.write(renderJson({ released }));
  for (const { blockId, entryId, pids, command } of released) {
    const processes = formatCount(pids.length, 'process', 'processes');
    const what = `${entryId ?? String(pids[0])} of ${blockId}, ${processes}: ${command}`;
    context.stdout.write(`released ${escapeUntrusted(what)}\n`);
  }
}

async function releaseOne(context: Context, one: ChosenMembers, lookup: BlockLookup): Promise<Released[]> {
  const { platform, store } = context;
  const { record, members } = one.view;
  const { bootId } = platform.host();
  const named = new Set(one.members.map(({ pid }) => pid));
  const isNamed = (mark: KeptMark): boolean =>
    (mark.entryId !== undefined && mark.entryId === one.entry?.id) ||
    [...pidsOf(mark, members, bootId)].some((pid) => named.has(pid));
  const lock = await store.lock(record.id, LOCK_MS);
  let taken: readonly KeptMark[];
  let left: readonly KeptMark[];
  try {
    const marks = dropEnded(store.kept(record.id), members, bootId);
    taken = marks.filter(isNamed);
    left = marks.filter((mark) => !isNamed(mark));
    if (taken.length === 0) throw notKept(context, one);
    store.writeKept(record.id, left);
  } finally {
    lock.release();
  }
  const look = () => inspectBlock(record, inspectDepsOf(context, lookup.records)).members;
  moveBack(record, () => {
    const now = look();
    const inGroup = new Set(readKeptPids(record));
    const kept = new Set(left.flatMap((mark) => [...pidsOf(mark, now, bootId)]));
    const free = taken.flatMap((mark) => [...pidsOf(mark, now, bootId)]);
    return free.filter((pid) => inGroup.has(pid) && !kept.has(pid) && pid !== context.pid);
  });
  return taken.map((mark) => ({
    blockId: record.id,
    entryId: mark.entryId,
    pids: [...pidsOf(mark, members, bootId)].sort((a, b) => a - b),
    command: mark.command,
    note: mark.note,
  }));
}

const LOCK_MS = 3000;

function notKept(context: Context, { view, members, text }: ChosenMembers): AgentmuxError {
  const kept = openKept(context, [view.record])(view.record, view.members);
  const reason = members.map(({ pid }) => kept.get(pid)).find((one) => one !== undefined);
  if (reason?.by !== 'configuration')
    return new AgentmuxError('notFound', `"${text}" is not kept`, { code: 'not-kept' });
  return new AgentmuxError('refused', `"${text}" is kept by "${reason.note}" of the configuration`, {
    code: 'kept-by-configuration',
    hint: 'take it out of "keep" there, or agentmux kill it by name',
  });
}
