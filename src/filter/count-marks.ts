import type { AgentMark, OutputLink, ProcessMarks, SessionBinding } from '../model/evidence.ts';
import { parentOf, type RuleMember, type RuleRoot, rootTest } from './agent-started.ts';

/** A member as far as marks are counted. */
export interface MarkedMember extends RuleMember {
  /** Profile id if the process is an agent CLI. */
  readonly agent: string | undefined;
}

/** An agent process of the block: a root, alive or not, or a session of the root that went on in the background. */
export interface MarkOwner extends RuleRoot {
  readonly agent: string | undefined;
}

export interface MarksInput {
  /** By pid: what was read of the members. */
  readonly byPid: ReadonlyMap<number, ProcessMarks>;
  /** Sessions that were found to be the roots' own before. */
  readonly bindings: readonly SessionBinding[];
}

/** What counts of a member's marks for this block. */
export interface CountedMarks {
  readonly mark: AgentMark | undefined;
  readonly output: OutputLink | undefined;
}

export interface CountResult {
  /** By pid; members of whose marks nothing counts are left out. */
  readonly counted: ReadonlyMap<number, CountedMarks>;
  /** Sessions that this look bound for the first time. */
  readonly bindings: readonly SessionBinding[];
}

/**
 * Which marks speak for this block. A mark counts if the nearest agent above the process is an owner, and where the chain
 * of parents is broken, if its pid names an owner or its session is known to be an owner's. So a nested agent's marks
 * count for the block that it is the root of, never for the one around it. What an owner carries itself it inherited: that
 * tells of it, not of what it starts.
 */
export function countMarks(
  byPid: ReadonlyMap<number, MarkedMember>,
  owners: readonly MarkOwner[],
  input: MarksInput,
): CountResult {
  const court = new Court(byPid, owners, input);
  court.bindSessions();
  const counted = new Map<number, CountedMarks>();
  for (const [pid, { marks, output }] of input.byPid) {
    const member = byPid.get(pid);
    if (member === undefined) continue;
    const mark = marks.find((candidate) => court.counts(candidate, member));
    const link = output !== undefined && court.countsOutput(output, member) ? output : undefined;
    if (mark !== undefined || link !== undefined) counted.set(pid, { mark, output: link });
  }
  return { counted, bindings: court.added };
}

/** What is above a process: an owner, another process of the same agent, or nobody that can be seen. */
type Above = { readonly owner: MarkOwner } | 'nested' | 'broken';

class Court {
  readonly added: SessionBinding[] = [];
  readonly #byPid: ReadonlyMap<number, MarkedMember>;
  readonly #input: MarksInput;
  readonly #owners = new Map<number, MarkOwner>();
  readonly #above = new Map<string, Above>();
  /** Session with agent → owner. */
  readonly #bound = new Map<string, Pick<RuleRoot, 'pid' | 'startTicks'>>();

  constructor(byPid: ReadonlyMap<number, MarkedMember>, owners: readonly MarkOwner[], input: MarksInput) {
    this.#byPid = byPid;
    this.#input = input;
    for (const owner of owners) this.#owners.set(owner.pid, owner);
    for (const { agent, session, rootPid, rootStartTicks } of input.bindings) {
      this.#bound.set(keyOf(agent, session), { pid: rootPid, startTicks: rootStartTicks });
    }
  }

  bindSessions(): void {
    for (const [pid, { marks }] of this.#input.byPid) {
      const member = this.#byPid.get(pid);
      if (member === undefined) continue;
      for (const mark of marks) this.#bind(mark, member);
    }
  }

  counts(mark: AgentMark, member: MarkedMember): boolean {
    const above = this.#findAbove(member, mark.agent);
    if (above === 'nested') return false;
    if (above !== 'broken') return !this.#isInherited(mark, above.owner);
    return this.#namedOwner(mark, member) !== undefined || this.#isBound(mark.agent, mark.session, member);
  }

  countsOutput({ agent, session }: OutputLink, member: MarkedMember): boolean {
    const above = this.#findAbove(member, agent);
    if (above === 'nested') return false;
    if (this.#isBound(agent, session, member)) return true;
    return above !== 'broken' && !this.#carriesSession(above.owner, agent, session);
  }

  #bind(mark: AgentMark, member: MarkedMember): void {
    const { agent, session } = mark;
    if (session === undefined || this.#bound.has(keyOf(agent, session))) return;
    const above = this.#findAbove(member, agent);
    if (above === 'nested') return;
    const owner = above === 'broken' ? this.#namedOwner(mark, member) : above.owner;
    if (owner === undefined || (mark.pid !== owner.pid && this.#carriesSession(owner, agent, session))) return;
    this.#bound.set(keyOf(agent, session), owner);
    this.added.push({ agent, session, rootPid: owner.pid, rootStartTicks: owner.startTicks });
  }

  /** The owner that the mark names. A process that is older than the owner got its mark from an earlier one of that pid. */
  #namedOwner({ agent, pid }: AgentMark, member: MarkedMember): MarkOwner | undefined {
    const owner = pid === undefined ? undefined : this.#owners.get(pid);
    const isTheirs = owner !== undefined && (owner.agent ?? agent) === agent && !isOlder(member, owner);
    return isTheirs ? owner : undefined;
  }

  #isBound(agent: string, session: string | undefined, member: MarkedMember): boolean {
    const root = session === undefined ? undefined : this.#bound.get(keyOf(agent, session));
    return root !== undefined && !isOlder(member, root);
  }

  #isInherited({ agent, kind, session, pid, callId }: AgentMark, owner: MarkOwner): boolean {
    const own = this.#input.byPid.get(owner.pid)?.marks.find((mark) => mark.agent === agent);
    return own?.kind === kind && own.session === session && own.pid === pid && own.callId === callId;
  }

  #carriesSession(owner: MarkOwner, agent: string, session: string): boolean {
    const own = this.#input.byPid.get(owner.pid);
    const isOutput = own?.output?.agent === agent && own.output.session === session;
    return isOutput || own?.marks.some((mark) => mark.agent === agent && mark.session === session) === true;
  }

  /** The nearest process of that agent above the member, found once for each process on the way. */
  #findAbove(member: MarkedMember, agent: string): Above {
    const path: string[] = [];
    let verdict: Above | undefined;
    let child = member;
    while (verdict === undefined) {
      path.push(keyOf(agent, String(child.pid)));
      const known = this.#above.get(keyOf(agent, String(child.pid)));
      const parent = path.length > this.#byPid.size ? undefined : parentOf(child, this.#byPid);
      verdict = known ?? (parent === undefined ? 'broken' : this.#judge(parent, agent));
      if (parent !== undefined) child = parent;
    }
    for (const key of path) this.#above.set(key, verdict);
    return verdict;
  }

  #judge(parent: MarkedMember, agent: string): Above | undefined {
    const owner = this.#owners.get(parent.pid);
    if (owner !== undefined && rootTest([owner])(parent) && owner.agent === agent) return { owner };
    return parent.agent === agent ? 'nested' : undefined;
  }
}

function isOlder(member: RuleRoot, root: Pick<RuleRoot, 'startTicks'>): boolean {
  return member.startTicks !== undefined && root.startTicks !== undefined && member.startTicks < root.startTicks;
}

function keyOf(agent: string, text: string): string {
  return `${agent} ${text}`;
}
