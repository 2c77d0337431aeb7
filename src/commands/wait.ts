import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { AgentmuxError, ExitCode } from '../errors.ts';
import { parsePort } from '../kill/parse-target.ts';
import { renderJson } from '../render/json.ts';
import { examplesHelp } from './shared/help.ts';
import { parseSpan } from './shared/kill-options.ts';
import { openLookup } from './shared/lookup.ts';
import { type BlockOption, resolveTarget } from './shared/target.ts';
import { refuseUntracked } from './shared/untracked.ts';
import { type WaitCondition, waitForBlock } from './shared/wait-for-block.ts';

interface RawOptions {
  readonly block?: BlockOption;
  readonly until?: string;
  readonly timeout?: string;
  readonly json?: boolean;
}

/** Adds `agentmux wait`. */
export function registerWait(program: Command, context: Context): void {
  program
    .command('wait')
    .summary('wait for a block')
    .description(
      'Wait until the agent of a block has exited, until nothing of the block lives, or until a member listens on a port.\n' +
        'Prints nothing. Exits with 124 when the time is over, and with 1 if the block ends before the port is there.',
    )
    .option('--block [id]', 'the block, by its id or a unique prefix; without one the block we are in')
    .option('--until <what>', 'exited (the agent), empty (every member), or port=NUMBER (default: exited)')
    .option('--timeout <time>', 'give up after so long, e.g. 30, 500ms, 10m; 0 is no limit')
    .option('--json', 'print one JSON document at the end')
    .addHelpText(
      'after',
      examplesHelp([
        ['agentmux wait --block claude-k3f9', 'wait until its agent has exited'],
        ['agentmux wait --until empty --timeout 60', 'wait at most a minute until nothing lives'],
        ['agentmux wait --until port=5173', 'wait until a member listens on a port'],
      ]),
    )
    .action(async (options: RawOptions) => {
      context.exitCode = await wait(context, options);
    });
}

async function wait(context: Context, options: RawOptions): Promise<number> {
  const { until = 'exited' } = options;
  const condition = parseCondition(until);
  // As agentmux-run has it, and timeout(1): 0 is no limit.
  const timeoutMs = options.timeout === undefined ? undefined : parseSpan(options.timeout, '--timeout') || undefined;
  const { lookup, caller } = openLookup(context, 'wait');
  const view = resolveTarget(options.block, lookup, caller);
  const { record } = view;
  if (condition.type !== 'exited') refuseUntracked(record);
  if (condition.type === 'empty' && view.members.some((member) => member.pid === context.pid)) {
    throw new AgentmuxError('refused', `this runs inside "${record.id}", which cannot be empty before it ends`, {
      code: 'inside',
      hint: 'run it from outside, or wait for one process: agentmux wait --until exited',
    });
  }
  const startedAt = performance.now();
  await waitForBlock(context, record, condition, timeoutMs);
  if (options.json === true) {
    const waitedMs = Math.round(performance.now() - startedAt);
    context.stdout.write(renderJson({ blockId: record.id, until, waitedMs }));
  }
  return ExitCode.ok;
}

function parseCondition(text: string): WaitCondition {
  if (text === 'exited' || text === 'empty') return { type: text };
  const port = /^port=(.*)$/s.exec(text)?.[1];
  if (port !== undefined) return { type: 'port', port: parsePort(port) };
  throw new AgentmuxError('usage', `"${text}" is nothing to wait for`, {
    code: 'bad-condition',
    hint: '--until takes exited, empty or port=NUMBER',
  });
}
