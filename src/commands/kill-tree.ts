import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { ExitCode } from '../errors.ts';
import { ignoreSignals } from '../kill/ignore-signals.ts';
import type { KillTarget } from '../kill/kill.ts';
import { stepOutside } from '../kill/step-outside.ts';
import { graceOf, type KillWorld, killBlock, planBlock } from '../kill/transaction.ts';
import type { BlockRecord } from '../model/block.ts';
import { formatCount } from '../render/format.ts';
import { renderJson } from '../render/json.ts';
import { escapeUntrusted } from '../render/untrusted.ts';
import type { BlockView } from '../trackers/inspect.ts';
import { removeKeptGroups } from '../trackers/kept-group.ts';
import { familyOf } from '../trackers/subject.ts';
import { confirmDanger } from './shared/confirm.ts';
import { sayWhichDaemonsEnd } from './shared/daemon-warning.ts';
import { examplesHelp } from './shared/help.ts';
import { addReportOptions, parseGrace, type RawReportOptions, sayIfByForce } from './shared/kill-options.ts';
import {
  type KillRow,
  nameProcesses,
  progressTeller,
  renderKillRows,
  toJsonRow,
  warnOfSurvivors,
} from './shared/kill-output.ts';
import { openKillWorld, openLookup } from './shared/lookup.ts';
import { type BlockLookup, type BlockOption, isLive, resolveTarget } from './shared/target.ts';
import { refuseUntracked } from './shared/untracked.ts';

interface RawOptions extends RawReportOptions {
  readonly block?: BlockOption;
  readonly started?: boolean;
  readonly grace?: string;
  readonly escaped?: boolean;
  readonly includingKept?: boolean;
  readonly yes?: boolean;
}

/** Adds `agentmux kill-tree`. */
export function registerKillTree(program: Command, context: Context): void {
  const command = program
    .command('kill-tree')
    .summary('end a whole block')
    .description(
      'End every process of a block, the agent included, and look again until none lives.\n' +
        'TERM to the agent, TERM to the rest when it has gone or after 5/8 of the grace, KILL after the grace.\n' +
        'The block is the named one, else the one we are in, else the only live one started from this session.',
    )
    .option('--block [id]', 'the block, by its id or a unique prefix; without one the block we are in')
    .option('--started', 'only what the agent started: the agent and its own servers go on')
    .option('--grace <time>', 'from the first signal to KILL, e.g. 2, 1.5s, 500ms; 0 is KILL at once')
    .option('--escaped', 'also what left the block and is known by its environment alone')
    .option('--including-kept', 'also what "agentmux keep" or the configuration keeps')
    .option('--yes', 'do not ask, where blocks that were started inside this one end too');
  addReportOptions(command)
    .addHelpText(
      'after',
      examplesHelp([
        ['agentmux kill-tree', 'end the block that we are in or started here'],
        ['agentmux kill-tree --block claude-k3f9', 'end this block'],
        ['agentmux kill-tree --started', 'end what the agent started, not the agent'],
        ['agentmux kill-tree --dry-run', 'only show what would be ended'],
        ['agentmux kill-tree --grace 0', 'KILL at once'],
      ]),
    )
    .action(async (options: RawOptions) => {
      context.exitCode = await killTree(context, options);
    });
}

async function killTree(context: Context, options: RawOptions): Promise<number> {
  const graceMs = parseGrace(options.grace, context);
  const given = graceOf(context.platform, graceMs);
  const { lookup, caller, known } = openLookup(context, 'kill-tree');
  const view = resolveTarget(options.block, lookup, caller);
  const { record } = view;
  refuseUntracked(record);
  const world = openKillWorld(context, record, lookup.records, options.includingKept, known);
  const plan = planBlock(world, { ...options, startedOnly: options.started, members: view.members });
  sayWhichDaemonsEnd(context, view.members, plan.targets);
  if (plan.targets.length > 0) sayIfByForce(context, graceMs === 0);
  if (options.dryRun === true) {
    return print(
      context,
      record,
      { dryRun: true, graceMs: given, ok: undefined, rows: plan.targets, leftOut: plan.leftOut, kept: plan.kept },
      options,
    );
  }
  await confirmChildren(context, record, lookup, options);
  sayWhatEnds(context, record, plan.targets, options);
  const isInside = view.members.some((member) => member.pid === context.pid);
  const restore = isInside ? ignoreSignals() : undefined;
  try {
    return await carryOut(context, view, world, given, options);
  } finally {
    restore?.();
  }
}

async function carryOut(
  context: Context,
  { record, members, wrapperAlive }: BlockView,
  world: KillWorld,
  graceMs: number,
  options: RawOptions,
): Promise<number> {
  stepOutside(record, world.tracker);
  const onProgress = progressTeller(context, options.verbose === true);
  const report = await killBlock(world, {
    graceMs,
    startedOnly: options.started,
    escaped: options.escaped,
    members,
    onProgress,
  });
  // A living wrapper removes its enclosure itself.
  if (report.ok && !wrapperAlive && options.started !== true) world.tracker.dispose();
  if (report.ok && options.includingKept === true) removeKeptGroups(record);
  return print(context, record, { dryRun: false, graceMs, ...report }, options);
}

interface Outcome {
  readonly dryRun: boolean;
  readonly graceMs: number;
  readonly ok: boolean | undefined;
  readonly rows: readonly Omit<KillRow, 'blockId'>[];
  readonly leftOut: readonly KillTarget[];
  readonly kept: readonly KillTarget[];
}

async function print(context: Context, record: BlockRecord, outcome: Outcome, options: RawOptions): Promise<number> {
  const rows = outcome.rows.map((row): KillRow => ({ ...row, blockId: record.id }));
  const leftOut = outcome.leftOut.map((row): KillRow => ({ ...row, blockId: record.id }));
  const kept = outcome.kept.map((row): KillRow => ({ ...row, blockId: record.id }));
  if (options.json === true) {
    const { dryRun, graceMs, ok } = outcome;
    const startedOnly = options.started === true;
    context.stdout.write(
      renderJson({
        blockId: record.id,
        dryRun,
        startedOnly,
        graceMs,
        ok,
        rows: rows.map(toJsonRow),
        leftOut: leftOut.map(toJsonRow),
        kept: kept.map(toJsonRow),
      }),
    );
  } else {
    context.stdout.write(await renderKillRows(context, rows));
  }
  if (rows.length === 0 && kept.length === 0) context.stderr.write(`${nothingLives(record, options)}\n`);
  warnOfSurvivors(context, rows);
  if (kept.length > 0) sayWhatIsKept(context, record, kept, options);
  if (leftOut.length > 0) sayWhatIsLeftOut(context, record, leftOut);
  return outcome.ok === false ? ExitCode.survived : ExitCode.ok;
}

/** A block that was started inside this one has a name of its own, and its user may not think of it here. */
async function confirmChildren(
  context: Context,
  record: BlockRecord,
  lookup: BlockLookup,
  options: RawOptions,
): Promise<void> {
  const children = familyOf(record, lookup.records).slice(1);
  const live = children.filter((child) => isLive(lookup.view(child)));
  if (live.length === 0) return;
  const names = live.map((child) => `"${child.id}"`).join(', ');
  const flags = `--block ${record.id}${options.started === true ? ' --started' : ''} --yes`;
  await confirmDanger(
    context,
    { sentence: `this ends ${names} too, started inside "${record.id}"`, command: `agentmux kill-tree ${flags}` },
    options.yes === true,
  );
}

function sayWhatEnds(context: Context, record: BlockRecord, targets: readonly KillTarget[], options: RawOptions): void {
  const agents = targets.filter((target) => target.turn === 'agent');
  if (options.started === true || agents.length === 0) return;
  const name = escapeUntrusted(record.agent ?? record.runs.at(-1)?.argv[0] ?? record.id);
  const pids = agents.map((target) => target.pid).join(', ');
  context.stderr.write(`this ends ${name} (pid ${pids}); --started spares it\n`);
}

function nothingLives({ id }: BlockRecord, options: RawOptions): string {
  return options.started === true ? `nothing that the agent of "${id}" started lives` : `nothing of "${id}" lives`;
}

function sayWhatIsKept(context: Context, { id }: BlockRecord, kept: readonly KillRow[], { started }: RawOptions): void {
  const who = formatCount(kept.length, 'process is', 'processes are');
  const command = `agentmux kill-tree --block ${id}${started === true ? ' --started' : ''} --including-kept`;
  context.stderr.write(`${who} kept and not ended: ${nameProcesses(kept)}\nto end them too: ${command}\n`);
}

function sayWhatIsLeftOut(context: Context, { id }: BlockRecord, leftOut: readonly KillRow[]): void {
  const who = formatCount(leftOut.length, 'process that left it is', 'processes that left it are');
  context.stderr.write(
    `${who} known by the environment alone and not ended: ${nameProcesses(leftOut)}\n` +
      `to end them too: agentmux kill-tree --block ${id} --escaped\n`,
  );
}
