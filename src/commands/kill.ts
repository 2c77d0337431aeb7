import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { AgentmuxError, ExitCode } from '../errors.ts';
import type { KillTarget } from '../kill/kill.ts';
import { killMembers, type MembersPlan, planMembers } from '../kill/kill-members.ts';
import { type EntryOrTarget, parseEntryOrTarget, parsePort } from '../kill/parse-target.ts';
import { type GoneTarget, type ResolvedOperands, resolveOperands } from '../kill/resolve-operands.ts';
import type { KillWorld } from '../kill/transaction.ts';
import { formatCount } from '../render/format.ts';
import { renderJson } from '../render/json.ts';
import type { BlockView } from '../trackers/inspect.ts';
import { selectViews } from './shared/choose-members.ts';
import { sayWhichDaemonsEnd } from './shared/daemon-warning.ts';
import { type EntriesByBlock, resolveEntry, settleAll } from './shared/entries.ts';
import { examplesHelp } from './shared/help.ts';
import {
  addReportOptions,
  type KillForce,
  type RawReportOptions,
  sayIfByForce,
  settleForce,
} from './shared/kill-options.ts';
import {
  type KillRow,
  nameProcesses,
  progressTeller,
  renderKillRows,
  toJsonRow,
  warnOfSurvivors,
} from './shared/kill-output.ts';
import { findKiller } from './shared/killer.ts';
import { openKillWorld, openLookup } from './shared/lookup.ts';
import { type BlockOption, listLive } from './shared/target.ts';

interface RawOptions extends RawReportOptions {
  readonly block?: BlockOption;
  readonly port?: readonly string[];
  readonly only?: boolean;
  readonly signal?: string;
  readonly kill?: boolean;
  readonly grace?: string;
  readonly escaped?: boolean;
}

/** Adds `agentmux kill`. */
export function registerKill(program: Command, context: Context): void {
  const command = program
    .command('kill')
    .summary('end processes that an agent started')
    .description(
      'End members of a block: by pid, by pid:starttime as "agentmux ps -q" prints it, by the port they listen on, or an ' +
        'entry as "agentmux entries" lists it, with all that belongs to it.\n' +
        'What descends from them is ended with them. TERM comes first, KILL after the grace; then it is looked again.\n' +
        'Whoever is not a member is never signalled, not even by root.',
    )
    .argument('[target...]', 'pid, pid:starttime, :port (listeners only, never clients), or an entry such as p2')
    .option('--block [id]', 'only members of this block, by its id or a unique prefix; without one the block we are in')
    .option('--port <number>', 'the same as :number', (text: string, before: readonly string[] = []) => [
      ...before,
      text,
    ])
    .option('--only', 'leave the descendants of the targets alone')
    .option(
      '-s, --signal <signal>',
      'TERM, SIGTERM or 15; one other than TERM is sent once and nothing is forced; on Windows TERM and KILL alone, both by force',
    )
    .option('-9, --kill', 'KILL at once')
    .option('--grace <time>', 'from the first signal to KILL, e.g. 2, 1.5s, 500ms; 0 is KILL at once')
    .option('--escaped', 'also a target that left the block and is known by its environment alone');
  addReportOptions(command)
    .addHelpText(
      'after',
      examplesHelp([
        ['agentmux kill 4711', 'end a process and what descends from it'],
        ['agentmux kill p2', 'end an entry, with all that belongs to it'],
        ['agentmux kill :5173', 'end the server on a port of this machine'],
        ['agentmux kill $(agentmux ps -q)', 'end all that the agents started, safe from reused pids'],
        ['agentmux kill --dry-run 4711', 'only show what would be ended'],
        ['agentmux kill -s HUP --only 4711', 'send a signal to one process'],
      ]),
    )
    .action(async (targets: string[], options: RawOptions) => {
      context.exitCode = await kill(context, targets, options);
    });
}

async function kill(context: Context, targets: readonly string[], options: RawOptions): Promise<number> {
  const operands = parseOperands(targets, options.port ?? []);
  const force = settleForce(options, context);
  const { lookup, caller, known } = openLookup(context, 'kill');
  const views = selectViews(options.block, lookup, caller);
  const needsEntries = operands.some(({ type }) => type === 'entry' || type === 'port');
  const entries: EntriesByBlock = needsEntries ? await settleAll(context, views) : new Map();
  const resolved = resolveOperands(operands, {
    findEntry: (id) => resolveEntry(id, views, entries, 'kill'),
    entryOf: (view, pid) => entries.get(view.record.id)?.entryOf.get(pid),
    platform: context.platform,
    views,
    others: () => listLive(lookup),
    recorded: (id) => context.store.recorded(id),
    killer: findKiller(context.platform, context.pid, lookup.records),
    hintFor: (pid) => hintForMsys(pid, context.env['MSYSTEM']),
  });
  refuseLeftBehind(resolved, views, options.escaped === true);
  const jobs = [...resolved.named].map(([blockId, named]) => {
    const view = views.find((candidate) => candidate.record.id === blockId) as BlockView;
    const world = openKillWorld(context, view.record, lookup.records, false, known);
    return { blockId, named, world, plan: planMembers(world, named, options.only === true) };
  });
  for (const { blockId, plan } of jobs) {
    const members = views.find(({ record }) => record.id === blockId)?.members ?? [];
    sayWhichDaemonsEnd(context, members, plan.targets);
  }
  if (jobs.some(({ plan }) => plan.targets.length > 0)) sayIfByForce(context, isForceAsked(options));
  const gone = resolved.gone.map(toGoneRow);
  if (options.dryRun === true) return printPlan(context, jobs, gone, force, options);
  return carryOut(context, jobs, gone, force, options);
}

function isForceAsked({ kill: isKill, signal, grace }: RawOptions): boolean {
  return isKill === true || /^(sig)?kill$|^9$/i.test(signal ?? '') || grace === '0';
}

interface Job {
  readonly blockId: string;
  readonly named: ReadonlyMap<number, number | undefined>;
  readonly world: KillWorld;
  readonly plan: MembersPlan;
}

async function carryOut(
  context: Context,
  jobs: readonly Job[],
  gone: readonly KillRow[],
  force: KillForce,
  options: RawOptions,
): Promise<number> {
  for (const job of jobs) sayWhatGoesAlong(context, job, options.only === true);
  const onProgress = progressTeller(context, options.verbose === true);
  const done = await Promise.all(
    jobs.map(async ({ blockId, named, world }) => {
      const report = await killMembers(world, named, { ...force, only: options.only === true, onProgress });
      return report.rows.map((row): KillRow => ({ ...row, blockId }));
    }),
  );
  const rows = [...done.flat(), ...gone];
  const remaining = jobs.flatMap((job) => findRemaining(job));
  remember(context, rows);
  const ok = rows.every((row) => row.result !== 'survived' && row.result !== 'denied');
  if (options.json === true) {
    context.stdout.write(renderDocument({ dryRun: false, force, ok, rows, remaining }));
  } else {
    context.stdout.write(await renderKillRows(context, rows));
  }
  warnOfSurvivors(context, rows);
  sayWhatRemains(context, remaining);
  return ok ? ExitCode.ok : ExitCode.survived;
}

async function printPlan(
  context: Context,
  jobs: readonly Job[],
  gone: readonly KillRow[],
  force: KillForce,
  options: RawOptions,
): Promise<number> {
  const planned = jobs.flatMap(({ blockId, plan }) => plan.targets.map((target): KillRow => ({ ...target, blockId })));
  const rows = [...planned, ...gone];
  const remaining = jobs.flatMap(({ blockId, plan }) => plan.remaining.map((target) => ({ ...target, blockId })));
  if (options.json === true) {
    context.stdout.write(renderDocument({ dryRun: true, force, ok: undefined, rows, remaining }));
  } else {
    context.stdout.write(await renderKillRows(context, rows));
  }
  sayWhatRemains(context, remaining);
  return ExitCode.ok;
}

function parseOperands(targets: readonly string[], ports: readonly string[]): EntryOrTarget[] {
  const operands = [
    ...targets.map(parseEntryOrTarget),
    ...ports.map((text): EntryOrTarget => ({ type: 'port', text, port: parsePort(text) })),
  ];
  if (operands.length > 0) return operands;
  throw new AgentmuxError('usage', 'no target is named', { code: 'no-target', hint: 'agentmux kill --help' });
}

/** Git Bash and its relatives count processes by numbers of their own; MSYSTEM is set by them alone. */
function hintForMsys(pid: number, system: string | undefined): string | undefined {
  if (!system) return undefined;
  return `if ${pid} is a pid of ${system}, its pid of Windows is in /proc/${pid}/winpid, or in "ps -W" as WINPID`;
}

/** A desktop application that inherited our tag is not what its user thinks of as the agent's. */
function refuseLeftBehind(resolved: ResolvedOperands, views: readonly BlockView[], escaped: boolean): void {
  if (escaped) return;
  for (const view of views) {
    const named = resolved.named.get(view.record.id);
    const stray = view.members.find((one) => named?.has(one.pid) === true && one.escaped && one.source === 'tag');
    if (stray === undefined) continue;
    throw new AgentmuxError(
      'refused',
      `pid ${stray.pid} left block "${view.record.id}" and is known by its environment alone`,
      {
        code: 'escaped',
        hint: `to end it all the same: agentmux kill --escaped ${stray.pid}`,
      },
    );
  }
}

function sayWhatGoesAlong(context: Context, { named, plan }: Job, only: boolean): void {
  const along = plan.targets.filter((target) => !named.has(target.pid));
  if (only || along.length === 0) return;
  const count = formatCount(along.length, 'descendant', 'descendants');
  context.stderr.write(`this ends ${count} too: ${nameProcesses(along)} (--only leaves them alone)\n`);
}

function sayWhatRemains(context: Context, remaining: readonly KillTarget[]): void {
  if (remaining.length === 0) return;
  context.stderr.write(`still alive in the same session: ${nameProcesses(remaining)}\n`);
}

function findRemaining({ blockId, world, plan }: Job): KillRow[] {
  return plan.remaining
    .filter(({ identity }) => identity !== undefined && world.platform.isAlive(identity))
    .map((target) => ({ ...target, blockId }));
}

/** So that ending them again says `already gone`. Reading state must do where it cannot be written. */
function remember(context: Context, rows: readonly KillRow[]): void {
  for (const blockId of new Set(rows.map((row) => row.blockId))) {
    const ended = rows.filter((row) => row.blockId === blockId && row.result !== 'already-gone');
    const members = ended.flatMap(({ identity }) => identity ?? []);
    try {
      if (members.length > 0) context.store.record(blockId, members, 'reader');
    } catch (error) {
      if (!(error instanceof AgentmuxError)) throw error;
    }
  }
}

function toGoneRow({ blockId, pid, startTicks }: GoneTarget): KillRow {
  const identity = startTicks === undefined ? undefined : { pid, startTicks, bootId: '', pidNamespace: '' };
  return {
    blockId,
    pid,
    identity,
    command: '',
    redacted: false,
    ports: [],
    turn: 'rest',
    uid: undefined,
    escaped: false,
    result: 'already-gone',
  };
}

function renderDocument(facts: {
  readonly dryRun: boolean;
  readonly force: KillForce;
  readonly ok: boolean | undefined;
  readonly rows: readonly KillRow[];
  readonly remaining: readonly KillRow[];
}): string {
  const { dryRun, force, ok, rows, remaining } = facts;
  return renderJson({
    dryRun,
    signal: force.signal,
    graceMs: force.graceMs,
    ok,
    rows: rows.map(toJsonRow),
    remaining: remaining.map(toJsonRow),
  });
}
