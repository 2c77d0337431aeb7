import type { Context } from '../../context.ts';
import { AgentmuxError } from '../../errors.ts';
import { type EntryOrTarget, parseEntryOrTarget } from '../../kill/parse-target.ts';
import { selectTree } from '../../kill/plan.ts';
import { resolveOperands } from '../../kill/resolve-operands.ts';
import type { Entry } from '../../model/entry.ts';
import type { BlockView, MemberView } from '../../trackers/inspect.ts';
import { resolveEntry, settleAll } from './entries.ts';
import { openLookup } from './lookup.ts';
import { type BlockLookup, type BlockOption, type Caller, findOwnBlock, listLive, resolveTarget } from './target.ts';
import { refuseUntracked } from './untracked.ts';

/** What one operand names, in its block. */
export interface ChosenMembers {
  readonly text: string;
  readonly view: BlockView;
  /** The entry that was named, or that the named process is all of. */
  readonly entry: Entry | undefined;
  /** With what descends from them, the agent itself never among them. */
  readonly members: readonly MemberView[];
}

export interface Choice {
  readonly chosen: readonly ChosenMembers[];
  readonly lookup: BlockLookup;
}

/**
 * Which members some operands name that are pids, ports or entries. Throws AgentmuxError as `kill` does, and `notFound`
 * for what has exited, `refused` for an agent.
 */
export async function chooseMembers(
  context: Context,
  words: readonly string[],
  block: BlockOption,
  command: string,
): Promise<Choice> {
  const operands = words.map(parseEntryOrTarget);
  const { lookup, caller } = openLookup(context, command);
  const views = selectViews(block, lookup, caller);
  const entries = await settleAll(context, views);
  const chosen = operands.map((operand) => {
    const { named } = resolveOperands([operand], {
      findEntry: (id) => resolveEntry(id, views, entries, command),
      entryOf: (view, pid) => entries.get(view.record.id)?.entryOf.get(pid),
      platform: context.platform,
      views,
      others: () => listLive(lookup),
      recorded: (id) => context.store.recorded(id),
      killer: NOBODY,
    });
    const view = views.find(({ record }) => named.has(record.id));
    if (view === undefined) throw hasExited(operand);
    const members = selectTree(view.members, new Set(named.get(view.record.id)?.keys()));
    refuseAgent(members);
    return {
      text: operand.text,
      view,
      members,
      entry: wholeEntry(members, entries.get(view.record.id)?.entries ?? []),
    };
  });
  return { chosen, lookup };
}

/** From inside a block its members alone; from outside a pid tells by itself whose member it is. */
export function selectViews(option: BlockOption, lookup: BlockLookup, caller: Caller): readonly BlockView[] {
  const inside = option === undefined ? findOwnBlock(lookup, caller) : undefined;
  if (option === undefined && inside === undefined) return listLive(lookup);
  const view = resolveTarget(option, lookup, caller);
  refuseUntracked(view.record);
  return [view];
}

/** Nothing is signalled, so that nobody must be left alone. */
const NOBODY = { pid: -1, ancestors: new Set<number>(), wrappers: new Map<number, string>() };

/** A process that is all of an entry is meant as that entry. */
function wholeEntry(members: readonly MemberView[], entries: readonly Entry[]): Entry | undefined {
  const pids = new Set(members.map(({ pid }) => pid));
  return entries.find((entry) => entry.pids.length > 0 && entry.pids.every((pid) => pids.has(pid)));
}

function hasExited({ text }: EntryOrTarget): AgentmuxError {
  return new AgentmuxError('notFound', `"${text}" has exited`, { code: 'exited', hint: 'agentmux entries' });
}

function refuseAgent(members: readonly MemberView[]): void {
  const agent = members.find(({ role }) => role === 'root');
  if (agent === undefined) return;
  throw new AgentmuxError('refused', `pid ${agent.pid} is the agent itself`, {
    code: 'protected',
    hint: 'to keep all that an agent leaves: agentmux-run --leftovers keep',
  });
}
