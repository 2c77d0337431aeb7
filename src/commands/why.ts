import type { Command } from 'commander';
import { findPortHolders } from '../annotate/ports.ts';
import type { WhyAnswer } from '../annotate/why.ts';
import type { Context } from '../context.ts';
import { AgentmuxError } from '../errors.ts';
import { type EntryOrTarget, parseEntryOrTarget } from '../kill/parse-target.ts';
import { isGone, type ProcessStat } from '../model/process.ts';
import { renderJson } from '../render/json.ts';
import { loadPaint } from '../render/paint.ts';
import { renderWhy, type WhyView } from '../render/why.ts';
import { cutText, loadTextWidth } from '../render/width.ts';
import { selectViews } from './shared/choose-members.ts';
import { resolveEntry, settleAll } from './shared/entries.ts';
import { explainProcess } from './shared/explain-process.ts';
import { examplesHelp } from './shared/help.ts';
import { liveParent, type Membership, openMembership } from './shared/membership.ts';
import { viewOf } from './shared/view.ts';

interface WhyOptions {
  readonly block?: string | true;
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
    .argument('<target>', 'pid, pid:starttime as "agentmux ps -q" prints it, :port, or an entry (p2)')
    .option('--block [id]', 'the block of the entry, by its id or a unique prefix; without one the block we are in')
    .option('--json', 'print one JSON document')
    .option('--no-trunc', 'do not cut lines to the terminal')
    .option('--no-redact', 'show secrets in command lines')
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action((target: string, options: WhyOptions) => explain(context, target, options));
}

const EXAMPLES = [
  ['agentmux why 4711', 'what is this process, and may I end it?'],
  ['agentmux why :3000', 'the same for what listens on a port'],
  ['agentmux why p2', 'the same for an entry of "agentmux entries"'],
  ['agentmux why 4711 --json', 'for scripts'],
] as const;

async function explain(context: Context, target: string, options: WhyOptions): Promise<void> {
  const operand = parseWhyTarget(target);
  const membership = openMembership(context, 'why');
  const found = await findAsked(context, membership, operand, options);
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
function parseWhyTarget(text: string): EntryOrTarget {
  return text === '1' ? { type: 'pid', text, pid: 1 } : parseEntryOrTarget(text);
}

type EntryOperand = Extract<EntryOrTarget, { readonly type: 'entry' }>;
type ProcessOperand = Exclude<EntryOrTarget, { readonly type: 'port' | 'entry' }>;

async function findAsked(
  context: Context,
  membership: Membership,
  operand: EntryOrTarget,
  options: WhyOptions,
): Promise<ProcessStat[]> {
  if (operand.type === 'port') return findListeners(context, membership, operand.port);
  if (operand.type === 'entry') return [await findEntry(context, membership, operand, options)];
  return [findLive(context, membership, operand)];
}

/** The first process of the entry, or once that has ended the oldest one that lives on. */
async function findEntry(
  context: Context,
  { lookup, caller, table }: Membership,
  { id }: EntryOperand,
  { block }: WhyOptions,
): Promise<ProcessStat> {
  const views = selectViews(block, lookup, caller);
  const { entry } = resolveEntry(id, views, await settleAll(context, views), 'why');
  const live = entry.pids.flatMap((pid) => table.get(pid) ?? []).filter((stat) => !isGone(stat));
  const first = live.find(({ pid }) => pid === entry.pid);
  const oldest = live.toSorted((a, b) => a.startTicks - b.startTicks)[0];
  const stat = first ?? oldest;
  if (stat === undefined) throw notFound(`entry "${id}" has exited`);
  return stat;
}

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
  const { platform } = context;
  const sockets = platform.readOpenPorts().filter((socket) => socket.port === port);
  const seen = platform.hidesPorts ? 'nothing that can be seen from here' : 'nothing';
  if (sockets.length === 0) throw notFound(`${seen} listens on port ${port}`);
  const holders = findPortHolders(sockets, (pid) => liveParent(table, pid));
  const pids = new Set(holders.flatMap(({ pid }) => pid ?? []));
  const stats = [...pids].flatMap((pid) => table.get(pid) ?? platform.readStat(pid) ?? []);
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
