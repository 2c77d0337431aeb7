import type { Context } from '../../context.ts';
import type { BlockRecord, RunRecord } from '../../model/block.ts';
import type { ProcessStat } from '../../model/process.ts';
import type { BlockView, MemberView } from '../../trackers/inspect.ts';
import { openLookup } from './lookup.ts';
import { type BlockLookup, type Caller, listLive } from './target.ts';

/** Which block each process of the machine belongs to. */
export interface Membership {
  readonly lookup: BlockLookup;
  readonly caller: Caller;
  /** The live blocks. */
  readonly views: readonly BlockView[];
  /** Every process that can be seen, by pid. */
  readonly table: ReadonlyMap<number, ProcessStat>;
  /** The member of that pid, in the innermost block that has it. */
  findMember(pid: number): { readonly view: BlockView; readonly member: MemberView } | undefined;
  /** The run whose agentmux-run that live process is. */
  findWrapper(stat: ProcessStat): { readonly record: BlockRecord; readonly run: RunRecord } | undefined;
}

/** Looks at every block and at the table of processes, once. */
export function openMembership(context: Context, command: string): Membership {
  const { platform } = context;
  const { lookup, caller } = openLookup(context, command);
  const views = listLive(lookup);
  const table = new Map(platform.readTable().map((stat) => [stat.pid, stat]));
  const byPid = new Map<number, { view: BlockView; member: MemberView }>();
  // The members of a child block are its parent's too: the innermost block has the fewest.
  for (const view of [...views].sort((a, b) => b.members.length - a.members.length)) {
    for (const member of view.members) byPid.set(member.pid, { view, member });
  }
  const { bootId, pidNamespace } = platform.host();
  return {
    lookup,
    caller,
    views,
    table,
    findMember: (pid) => byPid.get(pid),
    findWrapper({ pid, startTicks }) {
      for (const record of lookup.records) {
        const run = record.runs.find(
          ({ wrapper }) =>
            wrapper.pid === pid &&
            wrapper.startTicks === startTicks &&
            wrapper.bootId === bootId &&
            wrapper.pidNamespace === pidNamespace,
        );
        if (run !== undefined) return { record, run };
      }
      return undefined;
    },
  };
}

/** Parent of a process, if that is still the one that started it: a parent is no younger than its child. */
export function liveParent(table: ReadonlyMap<number, ProcessStat>, pid: number): number | undefined {
  const stat = table.get(pid);
  const parent = stat === undefined ? undefined : table.get(stat.ppid);
  return stat === undefined || parent === undefined || parent.startTicks > stat.startTicks ? undefined : parent.pid;
}
