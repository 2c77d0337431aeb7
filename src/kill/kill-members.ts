import type { MemberView } from '../trackers/inspect.ts';
import { describeTargets } from './describe-targets.ts';
import type { KillPlan, KillProgress, KillReport } from './kill.ts';
import { killUntilStable } from './kill-until-stable.ts';
import { Ledger } from './ledger.ts';
import { selectSameSession, selectTree } from './plan.ts';
import { transact } from './transact.ts';
import { graceOf, type KillWorld } from './transaction.ts';

export interface KillMembersOptions {
  /** From the first signal to KILL, ms; 0 is KILL at once; undefined sends `signal` once and waits for nothing. */
  readonly graceMs: number | undefined;
  readonly signal: NodeJS.Signals;
  /** Leaves the descendants of the targets alone. */
  readonly only: boolean;
  readonly onProgress?: (progress: KillProgress) => void;
}

/** The named members: start times by pid, as the look that resolved the names saw them. */
export type Named = ReadonlyMap<number, number | undefined>;

/** What ending some members would do, and what stays of the same session. */
export interface MembersPlan extends KillPlan {
  readonly remaining: KillPlan['targets'];
}

/**
 * Ends the named members of a block and what descends from them. All get the signal at once, as on a terminal: the two
 * turns exist so that an agent can end its own tools in order. Members only: whoever is not in `world.look()` is not
 * signalled. Takes at most `graceMs` plus about 5 s; never throws for a process that cannot be ended.
 */
export async function killMembers(world: KillWorld, named: Named, options: KillMembersOptions): Promise<KillReport> {
  const victims = new VictimTree(world, named, options.only);
  const ledger = new Ledger(world.platform, (members) => describe(world, members));
  if (options.graceMs === undefined) return signalOnce(ledger, victims, options.signal);
  const attempt = {
    find: () => victims.find(),
    force: async (book: Ledger, deadlineMs: number) => {
      return await killUntilStable(world, book, () => victims.find(), deadlineMs);
    },
  };
  const ok = await transact(ledger, attempt, { ...options, graceMs: graceOf(world.platform, options.graceMs) });
  return { rows: ledger.rows(), leftOut: [], kept: [], ok };
}

/** What killMembers would do now. */
export function planMembers(world: KillWorld, named: Named, only: boolean): MembersPlan {
  const members = world.look();
  const selected = new VictimTree({ ...world, look: () => members }, named, only).find();
  return {
    targets: describe(world, selected),
    leftOut: [],
    kept: [],
    remaining: describe(world, selectSameSession(members, selected)),
  };
}

/** The targets and what descends from them, kept by identity so that what a dead victim left in its session counts. */
class VictimTree {
  readonly #world: KillWorld;
  readonly #only: boolean;
  readonly #known: Map<number, number | undefined>;

  constructor(world: KillWorld, named: Named, only: boolean) {
    this.#world = world;
    this.#known = new Map(named);
    this.#only = only;
  }

  find(): readonly MemberView[] {
    const members = this.#world.look().filter((member) => member.pid > 1 && !this.#isSpared(member.pid));
    const found = this.#only
      ? members.filter((member) => this.#isKnown(member))
      : selectTree(members, this.#startingPoints(members));
    for (const member of found) this.#known.set(member.pid, member.startTicks);
    return found;
  }

  #startingPoints(members: readonly MemberView[]): ReadonlySet<number> {
    const points = members.filter((member) => this.#isKnown(member) || this.#isInKnownSession(member));
    return new Set(points.map((member) => member.pid));
  }

  /** A pid that was given away is no victim any more. */
  #isKnown({ pid, startTicks }: MemberView): boolean {
    return this.#known.has(pid) && this.#known.get(pid) === startTicks;
  }

  /** A session is only ever inherited (setsid(2)), and its number is not given away while one is in it. */
  #isInKnownSession({ stat, startTicks }: MemberView): boolean {
    const leader = stat === undefined ? undefined : this.#known.get(stat.sid);
    return leader !== undefined && startTicks !== undefined && startTicks >= leader;
  }

  #isSpared(pid: number): boolean {
    return pid === process.pid || this.#world.spare?.has(pid) === true;
  }
}

function signalOnce(ledger: Ledger, victims: VictimTree, signal: NodeJS.Signals): KillReport {
  ledger.add(victims.find());
  ledger.signal(signal);
  const rows = ledger.rows();
  return { rows, leftOut: [], kept: [], ok: rows.every((row) => row.result !== 'denied' && row.result !== 'survived') };
}

function describe(world: KillWorld, members: readonly MemberView[]): KillPlan['targets'] {
  return describeTargets(world.platform, members, () => 'rest');
}
