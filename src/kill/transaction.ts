import type { Platform } from '../platform/platform.ts';
import type { MemberView } from '../trackers/inspect.ts';
import type { Tracker } from '../trackers/tracker.ts';
import { describeTargets } from './describe-targets.ts';
import type { KillPlan, KillProgress, KillReport, KillTarget } from './kill.ts';
import { killUntilStable } from './kill-until-stable.ts';
import { Ledger, type SeenTable } from './ledger.ts';
import { type BlockSelection, findConsoleHosts, selectBlock } from './plan.ts';
import { type Attempt, transact } from './transact.ts';

/** The time from the first signal to KILL if nothing else is asked for, ms. */
export const DEFAULT_GRACE_MS = 4000;

/** What a kill needs of the world. */
export interface KillWorld {
  readonly platform: Platform;
  /** The tracker of the block, as openTracker gives it. */
  readonly tracker: Tracker;
  /** Looks at the block afresh: its live members, those of its child blocks and of the second net included. */
  readonly look: () => readonly MemberView[];
  /** The table that the last look was taken from; undefined before the first, or if it cannot be had. */
  readonly table?: () => SeenTable | undefined;
  /** Pids that are never signalled: ourselves, where we are a member. */
  readonly spare?: ReadonlySet<number>;
  /** Which of the members of a look are kept: not ended with their block. Nothing is where this is left out. */
  readonly findKept?: (members: readonly MemberView[]) => { has(pid: number): boolean };
  /** True if the enclosure may be frozen for a moment: only where we are not inside it. */
  readonly mayFreeze?: boolean;
}

export interface KillOptions {
  /** From the first signal to KILL, ms; 0 is KILL at once. */
  readonly graceMs: number;
  /** Spares the roots and their plumbing. */
  readonly startedOnly?: boolean;
  /** Ends also what left the enclosure and carries the block's tag alone. */
  readonly escaped?: boolean;
  /** Called about once a second while something is waited for. */
  readonly onProgress?: (progress: KillProgress) => void;
  /** Aborting it ends the grace: KILL now. */
  readonly hurry?: AbortSignal;
  /** What a look of a moment ago found: spares the first one. */
  readonly members?: readonly MemberView[];
}

/**
 * Ends a block, or with `startedOnly` what its agent started: TERM to the agent, TERM to the rest, KILL by enclosure and
 * by verified identity, and a look again until none lives. Where nothing can be asked to end it is KILL at once. Never
 * throws for a process that cannot be ended: the report names it. Takes at most `graceMs` plus about 5 s.
 */
export async function killBlock(world: KillWorld, options: KillOptions): Promise<KillReport> {
  const ledger = new Ledger(world.platform, (members) => describeTargets(world.platform, members, turnOf));
  const looks = new Looks(world, options);
  const attempt = options.startedOnly === true ? attemptStarted(world, looks) : attemptBlock(world, looks);
  const graceMs = graceOf(world.platform, options.graceMs);
  const isEmpty = await transact(ledger, attempt, { ...options, graceMs, signal: 'SIGTERM' });
  return {
    rows: ledger.rows(),
    leftOut: describeTargets(world.platform, looks.leftOut, turnOf),
    kept: describeTargets(world.platform, looks.kept, turnOf),
    ok: isEmpty,
  };
}

/** The grace that a kill can give, ms: none where nothing can be asked to end. */
export function graceOf(platform: Pick<Platform, 'endsByForce'>, asked: number): number {
  return platform.endsByForce === true ? 0 : asked;
}

/** What killBlock would do now. */
export function planBlock(
  world: KillWorld,
  options: Pick<KillOptions, 'startedOnly' | 'escaped' | 'members'>,
): KillPlan {
  const looks = new Looks(world, options);
  return {
    targets: describeTargets(world.platform, looks.find(), turnOf),
    leftOut: describeTargets(world.platform, looks.leftOut, turnOf),
    kept: describeTargets(world.platform, looks.kept, turnOf),
  };
}

/** The looks of one kill, each sorted into who is to be ended and who is only listed. */
class Looks {
  /** By the last look. */
  leftOut: readonly MemberView[] = [];
  kept: readonly MemberView[] = [];
  /** Who is never signalled. */
  spare: ReadonlySet<number>;
  readonly #world: KillWorld;
  readonly #selection: Omit<BlockSelection, 'spare' | 'kept'>;
  #first: readonly MemberView[] | undefined;

  constructor(world: KillWorld, options: Pick<KillOptions, 'startedOnly' | 'escaped' | 'members'>) {
    this.#world = world;
    this.#first = options.members;
    this.#selection = {
      startedOnly: options.startedOnly === true,
      escaped: options.escaped === true,
    };
    this.spare = new Set([...(world.spare ?? []), process.pid]);
  }

  find(): readonly MemberView[] {
    const members = this.#first ?? this.#world.look();
    this.#first = undefined;
    const found = this.#world.findKept?.(members);
    this.spare = new Set([...this.spare, ...findConsoleHosts(members, process.pid, found)]);
    const selection = { ...this.#selection, spare: this.spare, kept: found };
    const { selected, leftOut, kept } = selectBlock(members, selection);
    this.leftOut = leftOut;
    this.kept = kept;
    return selected;
  }
}

function attemptBlock(world: KillWorld, looks: Looks): Attempt {
  let rounds = 0;
  return {
    find: () => looks.find(),
    hunts: world.tracker.type === 'scan',
    table: () => world.table?.(),
    // A scan would send CONT to all: the ledger wakes the stopped that it has sent TERM to, no others.
    wake: () => void (world.tracker.type === 'cgroup' && world.tracker.setFrozen(false)),
    force: async (ledger, deadlineMs) => {
      // What is kept and stands in the enclosure would be ended with all that is in it.
      const inside = looks.kept.length === 0 ? [] : world.tracker.memberPids();
      if (looks.kept.some(({ pid }) => inside.includes(pid))) {
        return await killUntilStable(world, ledger, () => looks.find(), deadlineMs);
      }
      ledger.markForced();
      const left = await world.tracker.killTree({ deadlineMs, spare: looks.spare });
      // In a group that is empty nothing is dying, so that one look at the table tells of all that were in it; if it
      // finds one that was moved out of the group before the kill, the next round signals that by itself.
      const isEmptied = world.tracker.type === 'cgroup' && left.length === 0 && rounds++ === 0;
      const sent = ledger.kill(isEmptied ? ({ escaped }) => escaped : undefined);
      return isEmptied && sent === 0;
    },
  };
}

/** The agent may start more at any moment: once a frozen block held nothing of the kind, later looks add nothing. */
function attemptStarted(world: KillWorld, looks: Looks): Attempt {
  let isSettled = false;
  const find = (): readonly MemberView[] => (isSettled ? [] : looks.find());
  return {
    find,
    force: async (ledger, deadlineMs) => {
      isSettled = await killUntilStable(world, ledger, find, deadlineMs);
      return isSettled;
    },
  };
}

function turnOf(member: MemberView): KillTarget['turn'] {
  return member.role === 'root' ? 'agent' : 'rest';
}
