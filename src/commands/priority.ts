import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { AgentmuxError, ExitCode } from '../errors.ts';
import { type Priority, type PriorityResult, priorities } from '../model/priority.ts';
import { renderJson } from '../render/json.ts';
import { describePriority, describeRefusals, improvePriority, type PriorityFacts } from '../render/priority.ts';
import { escapeUntrusted } from '../render/untrusted.ts';
import { setNiceness } from '../trackers/priority.ts';
import { openTracker } from '../trackers/select.ts';
import { examplesHelp } from './shared/help.ts';
import { inspectDepsOf, openLookup } from './shared/lookup.ts';
import { recordJob } from './shared/record-job.ts';
import { type BlockOption, resolveTarget } from './shared/target.ts';
import { refuseUntracked } from './shared/untracked.ts';

interface RawOptions {
  readonly block?: BlockOption;
  readonly json?: boolean;
}

/** Adds `agentmux priority`. */
export function registerPriority(program: Command, context: Context): void {
  program
    .command('priority')
    .summary('let a block give way to others, or take that back')
    .description(
      'Lower the priority of every process of a block, the agent included, and of what they start from now on: on Unix ' +
        'nice 10, on Windows a limit of the job object that they cannot leave. Where the kernel shares the processors by ' +
        'session or group, nice counts within one only. Raising it again needs root on Unix.',
    )
    .argument('<level>', priorities.join(' or '))
    .option('--block [id]', 'the block, by its id or a unique prefix; without one the block we are in')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examplesHelp([
        ['agentmux priority below-normal', 'let the block that we are in or started here give way'],
        ['agentmux priority --block claude-k3f9 normal', 'take that back'],
        ['agentmux-run --priority below-normal codex', 'from the start'],
      ]),
    )
    .action(async (level: string, options: RawOptions) => {
      context.exitCode = await changePriority(context, parsePriority(level), options);
    });
}

function parsePriority(text: string): Priority {
  const found = priorities.find((one) => one === text);
  if (found !== undefined) return found;
  throw new AgentmuxError('usage', `a priority is one of ${priorities.join(', ')}, not "${text}"`, {
    hint: 'agentmux priority --help',
  });
}

async function changePriority(context: Context, priority: Priority, options: RawOptions): Promise<number> {
  const { platform } = context;
  const { lookup, caller } = openLookup(context, 'priority');
  const { record, members } = resolveTarget(options.block, lookup, caller);
  refuseUntracked(record);
  const tracker = openTracker(record, inspectDepsOf(context, lookup.records));
  const below = priority === 'below-normal';
  const inside = tracker.setBelowNormalPriority(below);
  await recordJob(context, record.id, tracker.record.job);
  // What left the enclosure counts as for kill-tree; what is known by its environment alone may be anybody's.
  const outside = members.filter(({ escaped, source }) => escaped && source !== 'tag').map(({ pid }) => pid);
  const result = unite(
    inside,
    setNiceness(() => outside, below),
  );
  const facts: PriorityFacts = { blockId: record.id, priority, os: platform.os, isRoot: process.getuid?.() === 0 };
  const ok = result.refused.length === 0;
  if (options.json === true) {
    const { done, refused, isLimit } = result;
    const command = improvePriority(result, facts);
    context.stdout.write(renderJson({ blockId: record.id, priority, ok, isLimit, pids: done, refused, command }));
  } else {
    const isNothing = result.done.length === 0;
    if (!isNothing) context.stdout.write(`${escapeUntrusted(describePriority(result, facts))}\n`);
    else if (ok) context.stderr.write(`${escapeUntrusted(describePriority(result, facts))}\n`);
  }
  for (const line of describeRefusals(result, facts)) context.stderr.write(`${escapeUntrusted(line)}\n`);
  return ok ? ExitCode.ok : ExitCode.survived;
}

function unite(a: PriorityResult, b: PriorityResult): PriorityResult {
  return { done: [...a.done, ...b.done], refused: [...a.refused, ...b.refused], isLimit: a.isLimit };
}
