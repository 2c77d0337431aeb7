import type { BlockStatus, Confidence, MemberSource, Role, TrackerRecord } from '../model/block.ts';
import type { Evidence } from '../model/evidence.ts';
import type { Listener } from '../model/process.ts';
import type { Ancestor } from './ancestry.ts';
import type { WorktreeRow } from './ports.ts';

/** All that is known of why a process runs. Texts are untrusted and redacted; what is unknown is undefined. */
export interface WhyAnswer {
  /** `member` of a block, the `wrapper` (agentmux-run) of one, or `untracked`: nobody's. */
  readonly kind: 'member' | 'wrapper' | 'untracked';
  readonly pid: number;
  readonly startTicks: number;
  readonly startedAtMs: number;
  readonly ageMs: number;
  readonly command: string | undefined;
  readonly redacted: boolean;
  /** Of a known program. */
  readonly note: string | undefined;
  readonly uid: number | undefined;
  readonly tty: string | undefined;
  readonly pgid: number | undefined;
  readonly sid: number | undefined;
  readonly cwd: string | undefined;
  readonly worktree: WorktreeRow | undefined;
  /** Undefined if they may not be seen. */
  readonly listeners: readonly Listener[] | undefined;
  readonly below: WhyBelow;
  readonly block: WhyBlock | undefined;
  readonly membership: WhyMembership | undefined;
  readonly call: WhyCall | undefined;
  readonly ancestry: readonly WhyAncestor[];
  /** Unit of the service manager that it is in. */
  readonly unit: WhyUnit | undefined;
  readonly end: WhyEnd;
}

/** What descends from it. */
export interface WhyBelow {
  readonly processes: number;
  /** Ports that descendants listen on, each once, ascending. */
  readonly ports: readonly number[];
}

export interface WhyBlock {
  readonly id: string;
  readonly agent: string | undefined;
  readonly status: BlockStatus;
  readonly tracker: TrackerRecord['type'];
  readonly rootPid: number | undefined;
}

export interface WhyMembership {
  readonly role: Role;
  readonly because: string;
  readonly evidence: Evidence;
  readonly source: MemberSource;
  readonly confidence: Confidence;
  readonly escaped: boolean;
}

export interface WhyCall {
  readonly toolId: string | undefined;
  readonly description: string | undefined;
  readonly command: string | undefined;
  /** When it started, ms since the epoch. */
  readonly atMs: number | undefined;
  readonly background: boolean | undefined;
}

export interface WhyAncestor extends Ancestor {
  /** A short one. */
  readonly name: string | undefined;
  readonly command: string | undefined;
  /** What it is to the block of the process that was asked about. */
  readonly role: Role | 'wrapper' | undefined;
}

export interface WhyUnit {
  readonly name: string;
  readonly type: 'user-unit' | 'session' | 'system-unit';
}

/** How to end it. */
export interface WhyEnd {
  /** What to type; undefined if there is nothing that would be right. */
  readonly command: string | undefined;
  /** What that does beside. */
  readonly note: string | undefined;
}

/** What to type to end the process; `canAskManager` if the service manager of its unit can be asked from here. */
export function adviseEnd(
  answer: Pick<WhyAnswer, 'kind' | 'pid' | 'membership' | 'block' | 'unit'> & { readonly below: WhyBelow },
  canAskManager: boolean,
  /** What ends a process that is none of ours, without its pid. */
  killer = 'kill',
): WhyEnd {
  const { kind, pid, membership, block, unit, below } = answer;
  const along = below.processes === 0 ? undefined : 'what descends from it ends too (--only leaves that alone)';
  if (block !== undefined && (kind === 'wrapper' || membership?.role === 'root')) {
    return {
      command: `agentmux kill-tree --block ${block.id}`,
      note: 'ends the agent and all that it started (--started spares the agent)',
    };
  }
  if (membership !== undefined) {
    const isStray = membership.escaped && membership.source === 'tag';
    return { command: `agentmux kill ${isStray ? '--escaped ' : ''}${pid}`, note: along };
  }
  if (pid === 1) return { command: undefined, note: 'it is the first process of this system' };
  // A name that a shell would read otherwise is none to type.
  if (unit !== undefined && canAskManager && /^(?!user@)[\w:.@-]+\.service$/.test(unit.name)) {
    const scope = unit.type === 'user-unit' ? '--user ' : '';
    return {
      command: `systemctl ${scope}stop ${unit.name}`,
      note: 'its service manager may start it again after a kill',
    };
  }
  return { command: `${killer} ${pid}`, note: 'agentmux ends only what belongs to a block' };
}
