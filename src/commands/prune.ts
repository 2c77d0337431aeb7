import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { AgentmuxError, ExitCode } from '../errors.ts';
import type { BlockRecord } from '../model/block.ts';
import { formatCount } from '../render/format.ts';
import { renderJson } from '../render/json.ts';
import { escapeUntrusted } from '../render/untrusted.ts';
import { PRUNE_AGE_MS, type PruneFacts, selectPrunable } from '../state/prune.ts';
import { inspectBlock } from '../trackers/inspect.ts';
import { takeLook } from '../trackers/look.ts';
import { sweepGroups } from '../trackers/sweep.ts';
import { examplesHelp } from './shared/help.ts';
import { parseAge } from './shared/parse-age.ts';

interface RawOptions {
  readonly olderThan?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Adds `agentmux prune`. */
export function registerPrune(program: Command, context: Context): void {
  program
    .command('prune')
    .summary('forget blocks that have ended')
    .description(
      'Remove the records of blocks that have ended, hold no process and are older than 7 days, and the empty cgroups ' +
        'that earlier blocks left. Signals nothing; records of other machines and unreadable ones stay.',
    )
    .option('--older-than <age>', 'another age than 7d, e.g. 36h, 90m, 0')
    .option('-n, --dry-run', 'print what would be removed, remove nothing')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examplesHelp([
        ['agentmux prune', 'forget what ended more than 7 days ago'],
        ['agentmux prune --older-than 0', 'forget all that has ended'],
        ['agentmux prune --dry-run', 'only show what would be removed'],
      ]),
    )
    .action(async (options: RawOptions) => {
      context.exitCode = await prune(context, options);
    });
}

async function prune(context: Context, options: RawOptions): Promise<number> {
  const maxAgeMs = options.olderThan === undefined ? PRUNE_AGE_MS : parseAge(options.olderThan, '--older-than');
  const nowMs = context.now();
  const isDry = options.dryRun === true;
  const { blocks, unreadable } = context.store.list(isDry ? {} : { sweepAtMs: nowMs });
  for (const { path, reason, detail } of unreadable) {
    context.stderr.write(`warning: ${escapeUntrusted(path)} stays (${reason}): ${escapeUntrusted(detail)}\n`);
  }
  const old = selectPrunable(blocks, factsOf(context, blocks), nowMs, maxAgeMs);
  const removed: BlockRecord[] = [];
  for (const record of old) if (isDry || (await remove(context, record, maxAgeMs))) removed.push(record);
  const kept = isDry ? blocks : context.store.list().blocks;
  const sweptGroups = isDry ? 0 : sweepGroups({ platform: context.platform, records: kept, nowMs });
  if (options.json === true) {
    const pruned = removed.map(({ id, createdAtMs, runs }) => ({ id, createdAtMs, endedAtMs: runs.at(-1)?.endedAtMs }));
    context.stdout.write(renderJson({ dryRun: isDry, pruned, sweptGroups, warnings: unreadable }));
    return ExitCode.ok;
  }
  for (const { id } of removed) context.stdout.write(`${escapeUntrusted(id)}\n`);
  context.stderr.write(`${describe(removed.length, sweptGroups, isDry)}\n`);
  return ExitCode.ok;
}

function factsOf(context: Context, records: readonly BlockRecord[]): PruneFacts {
  const { platform, store } = context;
  const look = takeLook(platform, records);
  const deps = { platform, records, look, recorded: (id: string) => store.recorded(id) };
  return {
    host: platform.host(),
    isWrapperAlive: (record) => record.runs.some((run) => platform.isAlive(run.wrapper)),
    countMembers: (record) => (record.tracker.type === 'stub' ? undefined : inspectBlock(record, deps).members.length),
  };
}

/** Under the block's lock and judged again: somebody may be about to run it anew. False if it stays. */
async function remove(context: Context, { id }: BlockRecord, maxAgeMs: number): Promise<boolean> {
  const lock = await context.store.lock(id, 0).catch(passRefusal);
  if (lock === undefined) return false;
  try {
    const record = context.store.read(id);
    if (record === undefined) return false;
    const facts = factsOf(context, context.store.list().blocks);
    if (selectPrunable([record], facts, context.now(), maxAgeMs).length === 0) return false;
    context.store.remove(id);
    return true;
  } finally {
    lock.release();
  }
}

function passRefusal(error: unknown): undefined {
  if (error instanceof AgentmuxError && error.kind === 'refused') return undefined;
  throw error;
}

function describe(blocks: number, groups: number, isDry: boolean): string {
  const what = formatCount(blocks, 'block', 'blocks');
  if (isDry) return blocks === 0 ? 'nothing to prune' : `would prune ${what}`;
  const swept = `removed ${formatCount(groups, 'empty cgroup', 'empty cgroups')}`;
  if (blocks === 0) return groups === 0 ? 'nothing to prune' : swept;
  return groups === 0 ? `pruned ${what}` : `pruned ${what}, ${swept}`;
}
