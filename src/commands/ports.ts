import type { Command } from 'commander';
import { findPortHolders, type PortHolder, type PortRow } from '../annotate/ports.ts';
import { describeProcess } from '../annotate/rows.ts';
import type { Context } from '../context.ts';
import { parsePort } from '../kill/parse-target.ts';
import { createWorktreeFinder } from '../platform/git-worktree.ts';
import { renderJson } from '../render/json.ts';
import { portColumns, portFilter, portSort } from '../render/port-table.ts';
import { renderTable } from '../render/table.ts';
import { escapeUntrusted } from '../render/untrusted.ts';
import { readTold } from './shared/entries.ts';
import { examplesHelp } from './shared/help.ts';
import {
  addBlockOption,
  addQueryOptions,
  addTextOptions,
  parseRowQuery,
  type RawListingOptions,
  type RawQueryOptions,
} from './shared/listing-options.ts';
import { liveParent, type Membership, openMembership } from './shared/membership.ts';
import { parseOutputForm, renderIdentity, renderListing } from './shared/output-form.ts';
import { selectListed } from './shared/target.ts';
import { viewOf } from './shared/view.ts';

/** `agentmux ports`: who holds which port of this machine. */
export function registerPorts(program: Command, context: Context): void {
  const command = program
    .command('ports')
    .summary('list who listens on which port')
    .description(
      'List every process of this machine that listens on a TCP port, of agents or not: with its block, its entry, its ' +
        "directory and git branch. A port of another user's process is listed too; who holds it is then shown as ?.",
    )
    .argument('[port...]', 'only these ports');
  addBlockOption(command).option('--json', 'print one JSON document');
  addQueryOptions(addTextOptions(command), {
    quiet: 'pid:starttime of those that listen, what kill accepts',
    format: '{{.port}} {{.pid}} {{.blockId}}',
    filter: portFilter,
    sort: portSort,
  })
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action((ports: string[], options: PortsOptions) => listPorts(context, ports, options));
}

const EXAMPLES = [
  ['agentmux ports', 'every listening port of this machine'],
  ['agentmux ports 3000', 'who holds the port that I need'],
  ['agentmux ports --block', 'those of the block that we are in'],
  ['agentmux ports --filter worktree=/src/app', 'those of one work tree'],
  ['agentmux why :3000', 'all about the process behind a port'],
] as const;

type PortsOptions = Pick<RawListingOptions, 'block' | 'json' | 'trunc' | 'redact'> & RawQueryOptions;

async function listPorts(context: Context, operands: readonly string[], options: PortsOptions): Promise<void> {
  const form = parseOutputForm(options, PORT_FIELDS);
  const query = parseRowQuery(options, portFilter, portSort);
  const ports = new Set(operands.map(parsePort));
  const membership = openMembership(context, 'ports');
  const { unreadable } = membership.lookup;
  for (const { path, reason, detail } of unreadable) {
    context.stderr.write(`warning: ${escapeUntrusted(path)} is not used (${reason}): ${escapeUntrusted(detail)}\n`);
  }
  const rows = query.apply(await collectRows(context, membership, ports, options));
  const text = await renderListing(form, () => rows, {
    json: () => renderJson({ rows, warnings: unreadable }),
    quiet: () => [...new Set(rows.flatMap(renderHolder))].join(''),
    table: () => {
      if (rows.length === 0)
        context.stderr.write(`${describeNone(ports, query.isPlain, context.platform.hidesPorts)}\n`);
      return renderTable(portColumns(rows), rows, viewOf(context, { noTrunc: !options.trunc }));
    },
  });
  context.stdout.write(text);
  if (form.type === 'table' && rows.some(({ pid }) => pid === undefined)) {
    context.stderr.write('? is held by a process that cannot be seen from here\n');
  }
}

async function collectRows(
  context: Context,
  membership: Membership,
  ports: ReadonlySet<number>,
  { block, redact }: PortsOptions,
): Promise<PortRow[]> {
  const { lookup, caller, table, findMember } = membership;
  const wanted = block === undefined ? undefined : new Set(selectListed(block, lookup, caller).flatMap(listMembers));
  const sockets = context.platform.readOpenPorts().filter(({ port }) => ports.size === 0 || ports.has(port));
  const findWorktree = createWorktreeFinder();
  const holders = findPortHolders(sockets, (pid) => liveParent(table, pid)).filter(
    ({ pid }) => wanted === undefined || (pid !== undefined && wanted.has(pid)),
  );
  const views = new Set(holders.flatMap(({ pid }) => (pid === undefined ? [] : (findMember(pid)?.view ?? []))));
  const told = await readTold(context, [...views]);
  return holders.map((holder) => {
    const row = describeHolder(context, membership, holder, redact);
    const view = holder.pid === undefined ? undefined : findMember(holder.pid)?.view;
    const entry = view && holder.pid !== undefined ? told(view).entries?.get(holder.pid)?.id : undefined;
    // Paths of another container are no paths of ours.
    return { ...row, entry, worktree: row.otherNamespace ? undefined : findWorktree(row.cwd) };
  });
}

function listMembers({ members }: { readonly members: readonly { readonly pid: number }[] }): number[] {
  return members.map(({ pid }) => pid);
}

function describeHolder(
  context: Context,
  { findMember, table }: Membership,
  holder: PortHolder,
  redact: boolean,
): Omit<PortRow, 'worktree' | 'entry'> {
  const { platform } = context;
  const { pid } = holder;
  const stat = pid === undefined ? undefined : (table.get(pid) ?? platform.readStat(pid));
  const found = pid === undefined ? undefined : findMember(pid);
  const details = pid === undefined ? undefined : platform.readDetails(pid, { argv: true, exe: true, cwd: true });
  const { command, redacted } = describeProcess(details?.argv, stat?.comm, redact);
  const startedAtMs = stat && platform.startedAtMs(stat.startTicks);
  return {
    ...holder,
    startTicks: stat?.startTicks,
    startedAtMs,
    ageMs: startedAtMs === undefined ? undefined : Math.max(0, context.now() - startedAtMs),
    blockId: found?.view.record.id,
    agent: found?.view.record.agent,
    role: found?.member.role,
    cwd: details?.cwd,
    command,
    redacted,
  };
}

function renderHolder({ pid, startTicks }: PortRow): string[] {
  return pid === undefined ? [] : [renderIdentity({ pid, startTicks })];
}

function describeNone(ports: ReadonlySet<number>, isPlain: boolean, hidesPorts = false): string {
  if (!isPlain) return 'no listening port matches the filter';
  const listens = hidesPorts ? 'nothing that can be seen from here listens' : 'nothing listens';
  return ports.size === 0 ? listens : `${listens} on ${[...ports].join(', ')}`;
}

/** The fields of a row; a test holds it to schema/ports.schema.json. */
const PORT_FIELDS: readonly (keyof PortRow)[] = [
  ...(['port', 'protocol', 'address', 'pid', 'startTicks', 'startedAtMs', 'ageMs', 'uid', 'sharedWith'] as const),
  ...(['otherNamespace', 'blockId', 'agent', 'role', 'entry', 'cwd', 'worktree', 'command', 'redacted'] as const),
];
