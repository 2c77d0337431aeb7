import { AgentmuxError } from '../errors.ts';
import { ignoreSignals } from '../kill/ignore-signals.ts';
import type { KillProgress, KillReport, KillTarget } from '../kill/kill.ts';
import { killMembers, planMembers } from '../kill/kill-members.ts';
import { findRefusal, type Killer } from '../kill/plan.ts';
import { stepOutside } from '../kill/step-outside.ts';
import { DEFAULT_GRACE_MS, type KillWorld, killBlock, planBlock } from '../kill/transaction.ts';
import type { BlockRecord } from '../model/block.ts';
import type { Identity } from '../model/identity.ts';
import type { Platform } from '../platform/platform.ts';
import { formatCount } from '../render/format.ts';
import type { WatchPlan } from '../render/screen-types.ts';
import { familyOf } from '../trackers/subject.ts';
import { createFreezer, type Freezer } from './freezer.ts';
import type { Outcome, WatchActions } from './loop.ts';
import type { KillRequest } from './state.ts';

export interface ActionDeps {
  readonly platform: Platform;
  /** Our own pid. */
  readonly pid: number;
  records(): readonly BlockRecord[];
  openWorld(record: BlockRecord, records: readonly BlockRecord[]): KillWorld;
  findKiller(records: readonly BlockRecord[]): Killer;
  /** Told of what was ended, so that ending it again says so. */
  onEnded(blockId: string, members: readonly Identity[]): void;
}

/** The actions of the view, each on a fresh look at the block. */
export function createActions(deps: ActionDeps): WatchActions & Freezer {
  const freezer = createFreezer(deps);
  return {
    ...freezer,
    plan: (request) => expected(() => plan(request, deps)),
    kill: async (request, onProgress) => {
      try {
        return await kill(request, onProgress, deps);
      } catch (error) {
        return toOutcome(error);
      }
    },
    freeze: (blockId, frozen) => expected(() => freezer.freeze(blockId, frozen)),
  };
}

type ProcessesRequest = Extract<KillRequest, { type: 'processes' }>;

function plan(request: KillRequest, deps: ActionDeps): WatchPlan {
  const { record, records } = findRecord(request.blockId, deps);
  const world = deps.openWorld(record, records);
  return request.type === 'block' ? planWhole(record, records, world) : planSome(request, record, world, deps);
}

function planWhole(record: BlockRecord, records: readonly BlockRecord[], world: KillWorld): WatchPlan {
  const { targets, leftOut, kept } = planBlock(world, {});
  const children = familyOf(record, records)
    .slice(1)
    .filter(({ state }) => state !== 'ended');
  const agents = targets.filter(({ turn }) => turn === 'agent').map(({ pid }) => pid);
  return {
    title: `End all of ${record.id}, ${formatCount(targets.length, 'process', 'processes')}`,
    targets,
    notes: [
      ...(agents.length === 0 ? [] : [`this ends the agent, pid ${agents.join(', ')}`]),
      ...children.map(({ id }) => `this ends ${id} too, which was started inside it`),
      ...(kept.length === 0 ? [] : [`left alone, since it is kept: ${nameTargets(kept)}`]),
      ...leftOut.map(({ pid, command }) => `left alone, known by its environment only: ${pid} ${command}`),
    ],
  };
}

function planSome(request: ProcessesRequest, record: BlockRecord, world: KillWorld, deps: ActionDeps): WatchPlan {
  refuse(request, world, deps);
  const { targets, remaining } = planMembers(world, namedOf(request), false);
  const named = new Set(request.named.map(({ pid }) => pid));
  const along = targets.filter(({ pid }) => !named.has(pid)).length;
  return {
    title: `End ${formatCount(targets.length, 'process', 'processes')} of ${record.id}`,
    targets,
    notes: [
      ...(along === 0 ? [] : [`${formatCount(along, 'descendant ends', 'descendants end')} too`]),
      ...(remaining.length === 0 ? [] : [`of the same session ${nameTargets(remaining)} will go on`]),
    ],
  };
}

/** As `agentmux kill` refuses. */
function refuse({ named, blockId }: ProcessesRequest, world: KillWorld, deps: ActionDeps): void {
  const killer = deps.findKiller(deps.records());
  const members = world.look();
  for (const { pid } of named) {
    const refusal = findRefusal(pid, killer);
    if (refusal !== undefined) throw refusal;
    const stray = members.find((member) => member.pid === pid && member.escaped && member.source === 'tag');
    if (stray === undefined) continue;
    throw new AgentmuxError('refused', `${pid} left ${blockId}: to end it, agentmux kill --escaped ${pid}`);
  }
}

async function kill(request: KillRequest, onProgress: (text: string) => void, deps: ActionDeps): Promise<Outcome> {
  const { record, records } = findRecord(request.blockId, deps);
  const world = deps.openWorld(record, records);
  const tell = (progress: KillProgress): void => onProgress(describeProgress(progress));
  if (request.type === 'processes') {
    refuse(request, world, deps);
    const force = { graceMs: DEFAULT_GRACE_MS, signal: 'SIGTERM', only: false } as const;
    return conclude(await killMembers(world, namedOf(request), { ...force, onProgress: tell }), record, deps);
  }
  const restore = world.look().some(({ pid }) => pid === deps.pid) ? ignoreSignals() : undefined;
  try {
    stepOutside(record, world.tracker);
    const report = await killBlock(world, { graceMs: DEFAULT_GRACE_MS, onProgress: tell });
    const wrapper = record.runs.at(-1)?.wrapper;
    // A living wrapper removes its enclosure itself.
    if (report.ok && (wrapper === undefined || !deps.platform.isAlive(wrapper))) world.tracker.dispose();
    return conclude(report, record, deps);
  } finally {
    restore?.();
  }
}

function conclude(report: KillReport, { id }: BlockRecord, deps: ActionDeps): Outcome {
  deps.onEnded(
    id,
    report.rows.flatMap(({ identity, result }) =>
      identity === undefined || result === 'already-gone' ? [] : identity,
    ),
  );
  const count = (result: KillReport['rows'][number]['result']) => report.rows.filter((row) => row.result === result);
  const left = [...count('survived'), ...count('denied')];
  if (left.length > 0) {
    const [first] = left;
    return { text: `not ended: ${nameTargets(left)}: ${first?.detail ?? first?.result}`, isWarning: true };
  }
  const facts = [
    [count('exited').length, 'exited'],
    [count('killed').length, 'killed'],
    [count('already-gone').length, 'gone before'],
  ] as const;
  const said = facts.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`);
  return { text: said.length === 0 ? 'nothing was left to end' : `ended: ${said.join(', ')}`, isWarning: false };
}

function describeProgress({ waitingFor, forceInMs }: KillProgress): string {
  const until = forceInMs === 0 ? 'KILL was sent' : `KILL in ${(forceInMs / 1000).toFixed(1)} s`;
  return `waiting for ${nameTargets(waitingFor)}; ${until}`;
}

function nameTargets(targets: readonly KillTarget[]): string {
  const [first] = targets;
  if (first === undefined) return 'nothing';
  const more = targets.length > 1 ? ` and ${targets.length - 1} more` : '';
  return `${first.pid} (${first.command.slice(0, LONGEST_NAME)})${more}`;
}

const LONGEST_NAME = 40;

function namedOf({ named }: ProcessesRequest): ReadonlyMap<number, number | undefined> {
  return new Map(named.map(({ pid, startTicks }) => [pid, startTicks]));
}

function findRecord(id: string, deps: ActionDeps): { record: BlockRecord; records: readonly BlockRecord[] } {
  const records = deps.records();
  const record = records.find((one) => one.id === id);
  if (record === undefined) throw new AgentmuxError('notFound', `no block "${id}"`);
  if (record.tracker.type === 'stub')
    throw new AgentmuxError('refused', `${id} is not tracked: nothing is known of it`);
  return { record, records };
}

function expected<T>(step: () => T): T | Outcome {
  try {
    return step();
  } catch (error) {
    return toOutcome(error);
  }
}

/** Throws what is a bug. */
function toOutcome(error: unknown): Outcome {
  if (!(error instanceof AgentmuxError)) throw error;
  return { text: error.message, isWarning: true };
}
