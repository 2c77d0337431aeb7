/** Which members the operands of `kill` name. Everything is judged before anything is signalled. */
import { AgentmuxError } from '../errors.ts';
import type { Entry } from '../model/entry.ts';
import { isGone } from '../model/process.ts';
import type { Platform } from '../platform/platform.ts';
import type { RecordedMember } from '../state/store.ts';
import type { BlockView, MemberView } from '../trackers/inspect.ts';
import type { Named } from './kill-members.ts';
import type { EntryOrTarget } from './parse-target.ts';
import { findRefusal, type Killer } from './plan.ts';

export interface OperandWorld {
  readonly platform: Platform;
  /** The blocks whose members may be ended. */
  readonly views: readonly BlockView[];
  /** Other live blocks, to say whose member a process is; asked only when an operand names no member. */
  readonly others: () => readonly BlockView[];
  readonly recorded: (blockId: string) => readonly RecordedMember[];
  readonly killer: Killer;
  /** What else a pid may be that no process has; undefined where there is nothing to say. */
  readonly hintFor?: (pid: number) => string | undefined;
  /** The entry of that id; throws AgentmuxError where there is not exactly one. */
  readonly findEntry: (id: string) => { readonly view: BlockView; readonly entry: Entry };
  /** The entry that a member belongs to. */
  readonly entryOf: (view: BlockView, pid: number) => Entry | undefined;
}

/** A former member that has ended: success, and nothing to do. */
export interface GoneTarget {
  readonly blockId: string;
  readonly pid: number;
  readonly startTicks: number | undefined;
}

export interface ResolvedOperands {
  /** By block id: the live members to end. */
  readonly named: ReadonlyMap<string, Named>;
  readonly gone: readonly GoneTarget[];
}

/**
 * Throws AgentmuxError `refused` for what must not be signalled and for a port that is not clearly one member's,
 * `notFound` for what never was a member.
 */
export function resolveOperands(operands: readonly EntryOrTarget[], world: OperandWorld): ResolvedOperands {
  const named = new Map<string, Map<number, number | undefined>>();
  const gone: GoneTarget[] = [];
  const add = (view: BlockView, member: MemberView): void => {
    const ofBlock = named.get(view.record.id) ?? new Map<number, number | undefined>();
    named.set(view.record.id, ofBlock.set(member.pid, member.startTicks));
  };
  for (const operand of operands) {
    if (operand.type === 'entry') {
      const { view, entry } = world.findEntry(operand.id);
      const { record } = view;
      if (entry.status === 'exited' && entry.pid !== undefined)
        gone.push({ blockId: record.id, pid: entry.pid, startTicks: undefined });
      for (const member of findProcesses(view, entry, world.killer)) add(view, member);
      continue;
    }
    if (operand.type === 'port') {
      const { view, holders } = findHolders(operand.port, world);
      for (const holder of holders) add(view, climb(view, holder, world));
      continue;
    }
    const refusal = findRefusal(operand.pid, world.killer);
    const startTicks = operand.type === 'identity' ? operand.startTicks : undefined;
    const found = findMember(world.views, operand.pid, startTicks);
    // A pid in the way of `pid:starttime` may belong to another process by now: then the named one has gone.
    const isNamed = startTicks === undefined || startTicks === world.platform.readStat(operand.pid)?.startTicks;
    if (refusal !== undefined && isNamed) throw refusal;
    if (found !== undefined) add(found.view, found.member);
    else gone.push(findGone(operand.pid, startTicks, world));
  }
  return { named, gone };
}

/** All live processes of an entry, whichever of them is above the others. One that runs us cannot be ended by us. */
function findProcesses(view: BlockView, { pids }: Entry, killer: Killer): MemberView[] {
  const members = view.members.filter(({ pid }) => pids.includes(pid));
  for (const { pid } of members) {
    const refusal = killer.wrappers.has(pid) ? undefined : findRefusal(pid, killer);
    if (refusal !== undefined) throw refusal;
  }
  return members;
}

function findMember(
  views: readonly BlockView[],
  pid: number,
  startTicks: number | undefined,
): { readonly view: BlockView; readonly member: MemberView } | undefined {
  // The members of a child block are its parent's too: the innermost block has the fewest.
  const inner = [...views].sort((a, b) => a.members.length - b.members.length);
  for (const view of inner) {
    const member = view.members.find((candidate) => candidate.pid === pid);
    if (member !== undefined && (startTicks === undefined || member.startTicks === startTicks)) return { view, member };
  }
  return undefined;
}

/** Holders of a listening socket: clients of the port hold none, and are no targets. */
function findHolders(
  port: number,
  world: OperandWorld,
): { readonly view: BlockView; readonly holders: readonly MemberView[] } {
  const pids = new Set(world.views.flatMap((view) => view.members.map((member) => member.pid)));
  const { byPid, denied } = world.platform.readListeners(pids);
  const isHolder = ({ pid }: MemberView): boolean => byPid.get(pid)?.some((one) => one.port === port) === true;
  const holding = world.views.filter((view) => view.members.some(isHolder));
  // Of a child block and its parent, which has the same members, the child.
  const innermost = holding.filter(({ record }) => !holding.some((other) => other.record.parentId === record.id));
  const [view] = innermost;
  if (view === undefined) throw noListener(port, denied.size);
  if (innermost.length > 1) {
    throw new AgentmuxError('refused', `members of ${innermost.length} blocks listen on port ${port}`, {
      code: 'ambiguous-port',
      hint: innermost.map(({ record }) => `agentmux kill --block ${record.id} :${port}`).join('\n'),
    });
  }
  const holders = view.members.filter(isHolder);
  const agent = holders.find((holder) => holder.role === 'root');
  if (agent !== undefined) {
    throw new AgentmuxError('refused', `port ${port} is held by the agent itself, pid ${agent.pid}`, {
      code: 'agent-port',
      hint: `to end the agent: agentmux kill ${agent.pid}`,
    });
  }
  return { view, holders };
}

/**
 * What a server runs under within its entry: npm, a shell, a watcher that would start it again; not further than to what
 * runs something else beside it.
 */
function climb(view: BlockView, holder: MemberView, { entryOf, killer }: OperandWorld): MemberView {
  const entry = entryOf(view, holder.pid);
  let top = holder;
  for (let steps = 0; entry !== undefined && steps < entry.pids.length; steps += 1) {
    const { stat }: MemberView = top;
    const parent = view.members.find(({ pid }) => pid === stat?.ppid && entry.pids.includes(pid));
    const siblings = view.members.filter((member) => member.stat?.ppid === parent?.pid);
    const isYounger = (parent?.startTicks ?? 0) > (top.startTicks ?? 0);
    if (parent === undefined || siblings.length > 1 || isYounger || findRefusal(parent.pid, killer)) break;
    top = parent;
  }
  return top;
}

function noListener(port: number, denied: number): AgentmuxError {
  const unseen = denied === 0 ? '' : `; the sockets of ${denied} members cannot be seen`;
  return new AgentmuxError('notFound', `no member listens on port ${port}${unseen}`, {
    code: 'no-listener',
    hint: 'agentmux ps',
  });
}

function findGone(pid: number, startTicks: number | undefined, world: OperandWorld): GoneTarget {
  const { bootId } = world.platform.host();
  const stat = world.platform.readStat(pid);
  for (const view of world.views) {
    const blockId = view.record.id;
    const former = world.recorded(blockId).find((member) => isFormer(member, pid, startTicks, bootId));
    if (former !== undefined) return { blockId, pid, startTicks: former.startTicks };
    if (stat !== undefined && isGone(stat) && isBelow(stat.ppid, view))
      return { blockId, pid, startTicks: stat.startTicks };
    if (startTicks !== undefined && startTicks !== stat?.startTicks && startTicks >= firstStart(view, bootId)) {
      return { blockId, pid, startTicks };
    }
  }
  const isAlive = stat !== undefined && !isGone(stat);
  if (isAlive && startTicks !== undefined && startTicks !== stat.startTicks) throw otherStart(pid, startTicks);
  throw neverMember(pid, isAlive, world);
}

function isFormer(member: RecordedMember, pid: number, startTicks: number | undefined, bootId: string): boolean {
  return (
    member.pid === pid && member.bootId === bootId && (startTicks === undefined || member.startTicks === startTicks)
  );
}

/** True for the parent of a zombie that nobody has waited for yet. */
function isBelow(ppid: number, view: BlockView): boolean {
  const isWrapper = view.record.runs.some((run) => run.wrapper.pid === ppid) && view.wrapperAlive;
  return isWrapper || view.members.some((member) => member.pid === ppid);
}

function firstStart(view: BlockView, bootId: string): number {
  const starts = view.record.runs.filter((run) => run.wrapper.bootId === bootId).map((run) => run.wrapper.startTicks);
  return Math.min(Number.POSITIVE_INFINITY, ...starts);
}

/** No hint at the pid alone: whoever names the start too does not mean who has the pid now. */
function otherStart(pid: number, startTicks: number): AgentmuxError {
  const what = `the process ${pid}:${startTicks} is gone, or never was a member: ${pid} is another one, and not signalled`;
  return new AgentmuxError('notFound', what, { code: 'not-a-member', hint: 'agentmux ps -q' });
}

function neverMember(pid: number, isAlive: boolean, world: OperandWorld): AgentmuxError {
  const [only] = world.views;
  const where = only !== undefined && world.views.length === 1 ? `of block "${only.record.id}"` : 'of a live block';
  if (!isAlive) {
    return new AgentmuxError('notFound', `no process ${pid} lives: it is gone, or never was a member ${where}`, {
      code: 'not-a-member',
      hint: ['agentmux ps', world.hintFor?.(pid)].filter(Boolean).join('\n'),
    });
  }
  const other = findMember(world.others(), pid, undefined);
  const hint = other === undefined ? 'agentmux ps' : `agentmux kill --block ${other.view.record.id} ${pid}`;
  return new AgentmuxError('notFound', `pid ${pid} is no member ${where}: not signalled`, {
    code: 'not-a-member',
    hint,
  });
}
