import { constants } from 'node:os';
import { redactText } from '../../annotate/redact.ts';
import { describeProcess } from '../../annotate/rows.ts';
import type { Context } from '../../context.ts';
import { processFilter, processSort } from '../../filter/process-query.ts';
import { requirable, trackerChoices } from '../../launch/options.ts';
import { leftoversPolicies } from '../../model/block.ts';
import { priorities } from '../../model/priority.ts';
import { blockQuery } from '../../render/block-query.ts';
import { shellNames } from '../../render/completion-scripts.ts';
import { portFilter, portSort } from '../../render/port-table.ts';
import type { BlockView, MemberView } from '../../trackers/inspect.ts';
import type { Completion, CompletionValues } from './complete-line.ts';
import { readKnownEntries } from './entries.ts';
import { openLookup } from './lookup.ts';
import { listLive } from './target.ts';

/** Values as they are now on this machine. Looks at blocks only where a block, a process or a port can be meant. */
export function createCompletionValues(context: Context): CompletionValues {
  let live: readonly BlockView[] | undefined;
  const views = (): readonly BlockView[] => {
    live ??= listLive(openLookup(context, 'completion').lookup);
    return live;
  };
  let known: Started | undefined;
  const started = (): Started => {
    known ??= listStarted(views());
    return known;
  };
  return {
    option: (command, option, current) => {
      if (option === '--block') return listBlocks(context, command);
      if (option === '--port')
        return listPorts(context, started()).map(({ value, text }) => ({ value: value.slice(1), text }));
      if (option === '--until' && current.startsWith('port=')) {
        return listPorts(context, started()).map(({ value, text }) => ({ value: `port=${value.slice(1)}`, text }));
      }
      return (FIXED[`${command} ${option}`] ?? FIXED[option] ?? []).map((value) => ({ value, text: '' }));
    },
    operand: (command, current) => {
      switch (command) {
        case 'kill':
        case 'keep':
        case 'release':
        case 'why':
          return current.startsWith(':')
            ? listPorts(context, started())
            : [...listEntries(context, views()), ...listProcesses(started()), ...listPorts(context, started())];
        case 'ports':
          return listPorts(context, started()).map(({ value, text }) => ({ value: value.slice(1), text }));
        case 'priority':
          return priorities.map((value) => ({ value, text: '' }));
        case 'completion':
        case 'init':
          return shellNames.map((value) => ({ value, text: '' }));
        default:
          return [];
      }
    },
  };
}

const filters = (keys: readonly string[]): string[] => keys.map((key) => `${key}=`);
const blocks = blockQuery(0);

/** By `command option`, else by the option alone. */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  '--format': ['table', 'json'],
  '--filter': filters(processFilter.keys),
  '--sort': processSort.keys,
  'blocks --filter': filters(blocks.filter.keys),
  'blocks --sort': blocks.sort.keys,
  'ports --filter': filters(portFilter.keys),
  'ports --sort': portSort.keys,
  '--leftovers': leftoversPolicies,
  '--tracker': trackerChoices,
  '--require': requirable,
  '--priority': priorities,
  '--until': ['exited', 'empty', 'port='],
  '--signal': Object.keys(constants.signals).map((name) => name.replace(/^SIG/, '')),
};

/** Every live block, for `run` those that have ended too: a run can be added to them. */
function listBlocks(context: Context, command: string): Completion[] {
  const { lookup } = openLookup(context, 'completion');
  if (command === 'run') return lookup.records.map(({ id, agent }) => ({ value: id, text: agent ?? '' }));
  return listLive(lookup).map(({ record, status }) => ({
    value: record.id,
    text: [record.agent, status].filter((text) => text !== undefined).join(', '),
  }));
}

type Started = ReadonlyMap<number, { readonly member: MemberView; readonly blockId: string }>;

function listStarted(views: readonly BlockView[]): Started {
  const found = new Map<number, { member: MemberView; blockId: string }>();
  for (const view of views) {
    for (const member of view.members) {
      if (member.role === 'started') found.set(member.pid, { member, blockId: view.record.id });
    }
  }
  return found;
}

/** The running ones; an id that several blocks use stands for the first of them, and the command will ask which. */
function listEntries(context: Context, views: readonly BlockView[]): Completion[] {
  const found = new Map<string, string>();
  for (const view of views) {
    for (const { id, command, status } of readKnownEntries(context, view)) {
      const text = `${view.record.id}: ${redactText(command).text}`;
      if (status === 'running' && !found.has(id)) found.set(id, text);
    }
  }
  return [...found].map(([value, text]) => ({ value, text }));
}

function listProcesses(started: Started): Completion[] {
  return [...started].map(([pid, { member, blockId }]) => ({
    value: String(pid),
    text: `${blockId}: ${describeProcess(member.argv, member.stat?.comm, true).command ?? ''}`,
  }));
}

function listPorts(context: Context, started: Started): Completion[] {
  const ports = new Map<number, string>();
  for (const [pid, listeners] of context.platform.readListeners(started.keys()).byPid) {
    const { blockId, member } = started.get(pid) ?? {};
    const command = describeProcess(member?.argv, member?.stat?.comm, true).command ?? '';
    for (const { port } of listeners) if (!ports.has(port)) ports.set(port, `${blockId}: ${command}`);
  }
  return [...ports].sort(([a], [b]) => a - b).map(([port, text]) => ({ value: `:${port}`, text }));
}
