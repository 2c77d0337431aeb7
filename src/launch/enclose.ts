import { LaunchError, RunExitCode } from '../errors.ts';
import type { BlockRecord, RunRecord } from '../model/block.ts';
import type { Store } from '../state/store.ts';
import { plansAfter, planTrackers } from '../trackers/select.ts';
import { type Tracker, TrackerError, type TrackerPlan } from '../trackers/tracker.ts';
import { type BlockName, buildRecord, type DraftBlock, writeFirst } from './open-block.ts';
import type { RunOptions } from './options.ts';
import type { Reporter } from './reporter.ts';
import { RunBlock } from './run-block.ts';
import type { LaunchWorld } from './world.ts';

export interface EnclosedBlock {
  readonly block: RunBlock;
  readonly tracker: Tracker;
  /**
   * Gives up this way to track, in which the agent could not be started, for the next one. Throws LaunchError 125 where
   * none is left, or none that would do.
   */
  fallBack(failure: TrackerError): Promise<EnclosedBlock>;
}

export interface EncloseRequest {
  readonly draft: DraftBlock;
  readonly run: RunRecord;
  readonly options: RunOptions;
  readonly world: LaunchWorld;
  readonly reporter: Reporter;
}

/** The ways to track the block under that name, best first. Creates nothing. */
export function planBlock(request: EncloseRequest, name: BlockName): TrackerPlan[] {
  const { draft, run, options, world } = request;
  const { store } = draft;
  return planTrackers({
    platform: world.platform,
    env: world.env,
    forced: options.tracker,
    kind: options.terminal ? 'terminal' : 'agent',
    blockId: name.id,
    tag: draft.tag,
    wrapper: run.wrapper,
    staysInside: true,
    leavesNothing: options.leftovers === 'kill' && options.keep.length === 0 && !options.terminal,
    priority: options.priority,
    previous: draft.before,
    onSeen: (members) => recordQuietly(store, name.id, members),
    recorded: (id) => store.recorded(id),
  });
}

/**
 * Writes the block file and then creates its enclosure, so that no sweep takes what has no owner yet; falls back from
 * one plan to the next. With `--require` nothing is created that would not do: throws LaunchError 125 with the reason.
 */
export async function encloseBlock(request: EncloseRequest): Promise<EnclosedBlock> {
  const { draft, run, options, world, reporter } = request;
  let plans: TrackerPlan[] = [];
  const build = (name: BlockName): BlockRecord => {
    plans = planBlock(request, name);
    const tracker = firstPlan(plans).record;
    checkRequired(options, plans);
    return buildRecord(draft, name, { run, options, tracker }, world.platform);
  };
  const { store, record } = await writeFirst(draft, build, world.platform, reporter);
  const block = new RunBlock(store, record, (error) => {
    reporter.note(`the record of ${record.id} cannot be kept up: ${error instanceof Error ? error.message : error}`);
  });
  try {
    return await encloseBy(plans, block, options);
  } catch (error) {
    block.withdraw(draft.before);
    throw error;
  }
}

/** By the first of the plans that can be had. */
async function encloseBy(plans: readonly TrackerPlan[], block: RunBlock, options: RunOptions): Promise<EnclosedBlock> {
  const plan = firstPlan(plans);
  checkRequired(options, plans);
  block.setTracker(plan.record);
  const tracker = await create(plan);
  const fallBack = (failure: TrackerError) => {
    const rest = plansAfter(plans, failure);
    if (rest.length > 0) return encloseBy(rest, block, options);
    throw new LaunchError(RunExitCode.failed, `no tracker can be had: ${failure.message}`);
  };
  if (tracker instanceof TrackerError) return fallBack(tracker);
  return {
    block,
    tracker,
    async fallBack(failure) {
      tracker.dispose();
      return fallBack(failure);
    },
  };
}

async function create(plan: TrackerPlan): Promise<Tracker | TrackerError> {
  try {
    return await plan.create();
  } catch (error) {
    if (error instanceof TrackerError) return error;
    throw error;
  }
}

function firstPlan(plans: readonly TrackerPlan[]): TrackerPlan {
  const [plan] = plans;
  if (plan === undefined) throw new Error('internal: no plan to track the block');
  return plan;
}

/** Throws LaunchError 125 if the first plan is not what `--require` asks for. */
export function checkRequired({ require }: RunOptions, plans: readonly TrackerPlan[]): void {
  const { type } = firstPlan(plans).record;
  if (require === undefined || type === require) return;
  const reasons = firstPlan(plans).record.reasons.map((reason) => `${reason.code}: ${reason.detail}`);
  const why = reasons.length === 0 ? `the tracker is ${type}` : reasons.join('; ');
  throw new LaunchError(RunExitCode.failed, `--require ${require}: not to be had here (${why})`, {
    hint: 'agentmux doctor',
  });
}

function recordQuietly(store: Store, id: string, members: Parameters<Store['record']>[1]): void {
  try {
    store.record(id, members, 'wrapper');
  } catch {
    // A full disk: they stay members as long as the scan remembers them.
  }
}

/** A run as it begins: who wraps it, from where, on which terminal, and who asked for it. */
export function beginRun(argv: readonly string[], world: LaunchWorld): RunRecord {
  const { platform } = world;
  const own = platform.readStat(world.pid);
  const { bootId, pidNamespace } = platform.host();
  return {
    wrapper: { pid: world.pid, startTicks: own?.startTicks ?? 0, bootId, pidNamespace },
    root: undefined,
    argv,
    cwd: world.cwd,
    tty: own === undefined ? undefined : platform.ttyName(own.ttyNr),
    startedAtMs: world.now(),
    endedAtMs: undefined,
    exit: undefined,
    // Those of our ancestors are read when the agent runs: they would delay its start.
    callerSids: own === undefined ? [] : [own.sid],
  };
}
