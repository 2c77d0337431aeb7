import type { Command } from 'commander';
import { findPortHolders } from '../annotate/ports.ts';
import type { WhyAnswer } from '../annotate/why.ts';
import type { Context } from '../context.ts';
import { AgentmuxError } from '../errors.ts';
import { parseTargetOperand, type TargetOperand } from '../kill/parse-target.ts';
import { isGone, type ProcessStat } from '../model/process.ts';
import { renderJson } from '../render/json.ts';
import { loadPaint } from '../render/paint.ts';
import { renderWhy, type WhyView } from '../render/why.ts';
import { cutText, loadTextWidth } from '../render/width.ts';
import { explainProcess } from './shared/explain-process.ts';
import { examplesHelp } from './shared/help.ts';
import { liveParent, type Membership, openMembership } from './shared/membership.ts';
import { viewOf } from './shared/view.ts';

interface WhyOptions {
  readonly json?: boolean;
  readonly trunc: boolean;
  readonly redact: boolean;
}

/** `agentmux why`: all about one process. */
export function registerWhy(program: Command, context: Context): void {
  program
    .command('why')
    .summary('say why a process runs')
    .description(
      'Say why a process runs: its block, agent and tool call, who started it and what has exited since, its directory and ' +
        'git work tree, its ports, how that is known, and what to type to end it. Of a process that belongs to no block it ' +
        'says who started it. Exits with 3 if the process does not live, or if nothing listens on the port.',
    )
    .argument('<target>', 'pid, pid:starttime as "agentmux ps -q" prints it, or :port')
    .option('--json', 'print one JSON document')
    .option('--no-trunc', 'do not cut lines to the terminal')
    .option('--no-redact', 'show secrets in command lines')
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action((target: string, options: WhyOptions) => explain(context, target, options));
}

const EXAMPLES = [
  ['agentmux why 4711', 'what is this process, and may I end it?'],
  ['agentmux why :3000', 'the same for what listens on a port'],
  ['agentmux why 4711 --json', 'for scripts'],
] as const;

async function explain(context: Context, target: string, options: WhyOptions): Promise<void> {
  const operand = parseWhyTarget(target);
  const membership = openMembership(context, 'why');
  const found =
    operand.type === 'port'
      ? findListeners(context, membership, operand.port)
      : [findLive(context, membership, operand)];
  const answers: WhyAnswer[] = found.map((stat) => explainProcess(context, membership, stat, options));
  if (options.json) {
    context.stdout.write(renderJson({ target, answers }));
    return;
  }
  const view = await openView(context, options);
  context.stdout.write(answers.map((answer) => renderWhy(answer, view)).join('\n'));
}

async function openView(context: Context, options: WhyOptions): Promise<WhyView> {
  const { columns, unicode, colorLevel } = viewOf(context, { noTrunc: !options.trunc });
  const paint = await loadPaint(colorLevel);
  if (columns === undefined) return { nowMs: context.now(), paint, cut: (text) => text };
  // Not ASCII, so that the measure knows all characters.
  const textWidth = await loadTextWidth(['\u00e4']);
  const cut = (text: string, indent: number) => cutText(text, columns - indent, unicode ? '…' : '~', textWidth);
  return { nowMs: context.now(), paint, cut };
}

/** Unlike a target of `kill`, pid 1 is one to ask about. */
function parseWhyTarget(text: string): TargetOperand {
  return text === '1' ? { type: 'pid', text, pid: 1 } : parseTargetOperand(text);
}

type ProcessOperand = Exclude<TargetOperand, { readonly type: 'port' }>;

function findLive(context: Context, { lookup, table }: Membership, operand: ProcessOperand): ProcessStat {
  const { pid } = operand;
  const stat = table.get(pid) ?? context.platform.readStat(pid);
  if (stat === undefined) throw notFound(`no process ${pid} lives${describeFormer(context, lookup.records, operand)}`);
  if (isGone(stat)) throw notFound(`pid ${pid} has exited, and its parent ${stat.ppid} has not taken notice`);
  if (operand.type === 'identity' && operand.startTicks !== stat.startTicks) {
    throw notFound(`the process "${operand.text}" has exited, and pid ${pid} belongs to another one now`);
  }
  return stat;
}

function describeFormer(context: Context, records: Membership['lookup']['records'], operand: ProcessOperand): string {
  const { bootId } = context.platform.host();
  const former = records.find(({ id }) =>
    context.store
      .recorded(id)
      .some(
        (member) =>
          member.pid === operand.pid &&
          member.bootId === bootId &&
          (operand.type === 'pid' || member.startTicks === operand.startTicks),
      ),
  );
  return former === undefined ? '' : `: a member of block "${former.id}" had that pid and has exited`;
}

function findListeners(context: Context, { table }: Membership, port: number): ProcessStat[] {
  const sockets = context.platform.readOpenPorts().filter((socket) => socket.port === port);
  if (sockets.length === 0) throw notFound(`nothing listens on port ${port}`);
  const holders = findPortHolders(sockets, (pid) => liveParent(table, pid));
  const pids = new Set(holders.flatMap(({ pid }) => pid ?? []));
  const stats = [...pids].flatMap((pid) => table.get(pid) ?? context.platform.readStat(pid) ?? []);
  if (stats.length > 0) return stats;
  const uid = sockets.find((socket) => socket.uid !== undefined)?.uid;
  const of = uid === undefined ? '' : ` of uid ${uid}`;
  throw new AgentmuxError('notFound', `port ${port} is held by a process${of} that cannot be seen from here`, {
    code: 'unseen-owner',
    ...(process.geteuid?.() !== 0 && { hint: `sudo agentmux why :${port}` }),
  });
}

function notFound(message: string): AgentmuxError {
  return new AgentmuxError('notFound', message, { code: 'no-such-process', hint: 'agentmux ps, agentmux ports' });
}
