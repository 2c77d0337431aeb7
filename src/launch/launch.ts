/**
 * The life of agentmux-run, as a list of steps; each step lives in a file of its own. How members are known is the
 * trackers' part, what is signalled at the end the kill transaction's, what a file looks like the store's.
 */
import type { BlockRecord, RunExit } from '../model/block.ts';
import type { Identity } from '../model/identity.ts';
import { selectStarter } from '../platform/select-starter.ts';
import { readAllSessions } from '../platform/sessions.ts';
import type { Agent, Handover, OrphanKeeper, Program, ProgramStarter, StartRequest } from '../platform/starter.ts';
import { removeKeptGroups } from '../trackers/kept-group.ts';
import { TrackerError } from '../trackers/tracker.ts';
import { type LabelledCommand, labelRun, planRunLabels, sweepLabels } from './apply-labels.ts';
import { applyPriority } from './apply-priority.ts';
import {
  beginRun,
  checkRequired,
  type EnclosedBlock,
  type EncloseRequest,
  encloseBlock,
  planBlock,
} from './enclose.ts';
import { endBlock, lookAtBlock, recordFound } from './end-block.ts';
import { decideLeaving } from './leave.ts';
import { handleLeftovers } from './leftovers.ts';
import { watchMembership } from './membership-watch.ts';
import { draftBlock, openRunStore, proposeName } from './open-block.ts';
import type { RunOptions } from './options.ts';
import { findReadable, isUnreadable, withQuietStat } from './readable.ts';
import { createReporter, type Reporter } from './reporter.ts';
import { listenForSignals, type SignalListener } from './signals.ts';
import { type RunEnd, supervise } from './supervise.ts';
import { describeRun, tellEarlier, tellOutOfMemory, tellTracker } from './tell.ts';
import type { LaunchWorld } from './world.ts';

export interface LaunchRequest {
  readonly options: RunOptions;
  /** The agent's argument vector as Node decoded it; not empty. */
  readonly operands: readonly string[];
  /** Why the user's configuration is not used; no reason not to run. */
  readonly problem?: string | undefined;
}

/**
 * Runs the agent and resolves to the exit code, or ends us by the signal that it died of. Rejects with AgentmuxError if
 * nothing was started. Programs are started as on this system, unless another `ownStarter` is given.
 */
export async function launch(
  { options, operands, problem }: LaunchRequest,
  given: LaunchWorld,
  ownStarter?: ProgramStarter,
): Promise<number> {
  const reporter = createReporter(given.stderr, options);
  if (problem !== undefined) reporter.note(problem);
  const starter = ownStarter ?? (await selectStarter(given.platform.os));
  const { passFds, nohup } = options;
  const handover = starter.readHandover({ operands, passFds, nohup, env: given.env });
  const program = starter.findProgram(handover);
  const world = findReadable(given, reporter);
  const draft = draftBlock(openRunStore(world, reporter), options, operands, world, reporter);
  const run = beginRun(operands, world);
  const plan = { draft, run, options, world, reporter };
  if (options.dryRun) {
    const name = proposeName(draft);
    const plans = planBlock(plan, name);
    checkRequired(options, plans);
    const { directory } = draft.store;
    const labels = planRunLabels({ options, operands, world, starter, directory, blockId: name.id });
    const description = describeRun({ ...plan, name, program, labels, tracker: plans[0]?.record });
    world.stdout.write(description);
    return 0;
  }

  const signals = listenForSignals(starter.signals);
  try {
    const enclosed = await encloseBlock(plan);
    if (signals.pending !== undefined) return turnBack(enclosed, draft.before, signals, { world, starter });
    const started = await start({ ...plan, enclosed, starter, handover, program, operands });
    return await seeThrough({ ...started, options, world, reporter, starter, signals });
  } finally {
    signals.stop();
  }
}

interface StartedBlock extends EnclosedBlock {
  readonly orphans: OrphanKeeper;
  readonly agent: Agent;
}

interface Running extends StartedBlock {
  readonly options: RunOptions;
  readonly world: LaunchWorld;
  readonly reporter: Reporter;
  readonly starter: ProgramStarter;
  readonly signals: SignalListener;
}

interface Starting extends EncloseRequest {
  readonly enclosed: EnclosedBlock;
  readonly starter: ProgramStarter;
  readonly handover: Handover;
  readonly program: Program;
  readonly operands: readonly string[];
}

/** Starts the agent in its enclosure; by the next way to track where the system starts nothing in that. */
async function start(starting: Starting): Promise<StartedBlock> {
  const { program, world, reporter, draft } = starting;
  const { block } = starting.enclosed;
  if (draft.before !== undefined) sweepLabels(block, world.platform);
  const labels = labelRun({ ...starting, block });
  for (const note of labels.notes) reporter.detail(note);
  for (const note of program.notes) reporter.detail(note);
  let { enclosed } = starting;
  try {
    for (;;) {
      const started = await startIn(enclosed, labels, starting);
      if (!(started instanceof TrackerError)) return started;
      enclosed = await enclosed.fallBack(started);
    }
  } catch (error) {
    sweepLabels(block, world.platform);
    takeBack(enclosed, draft.before);
    throw error;
  }
}

/** Gives the error of a tracker in whose enclosure nothing was started. */
async function startIn(
  enclosed: EnclosedBlock,
  labels: LabelledCommand,
  starting: Starting,
): Promise<StartedBlock | TrackerError> {
  const { starter, handover, program, options, world, reporter } = starting;
  const { block, tracker } = enclosed;
  const orphans = starter.keepOrphans(tracker.type, world.platform, world.pid);
  const request: StartRequest = {
    handover,
    program,
    argv: labels.argv,
    added: { AGENTMUX_BLOCKID: block.record.id, AGENTMUX_TAG: block.record.tag, ...labels.env },
    nohup: options.nohup,
    spawnInside: (spawn) =>
      tracker.spawnInside((enclosure) => {
        const started = spawn(enclosure);
        orphans.adopt();
        return started;
      }),
    platform: withQuietStat(world.platform),
    own: orphans.own,
  };
  const agent = await starter.start(request).catch((error: unknown) => {
    if (error instanceof TrackerError) return error;
    throw error;
  });
  if (agent instanceof TrackerError) return agent;
  orphans.start();
  if (options.priority !== undefined) applyPriority(options.priority, tracker, block, world.platform, reporter);
  block.started(
    agent.identity,
    { ...tracker.record, subreaper: orphans.isSubreaper },
    readAllSessions(withQuietStat(world.platform), world.pid),
  );
  return { ...enclosed, orphans, agent };
}

/** From the agent's first instruction to our last. */
async function seeThrough(running: Running): Promise<number> {
  const { agent, block, tracker, options, world, reporter, starter, signals, orphans } = running;
  const { platform } = world;
  const near = withQuietStat(platform);
  const hadTerminal = block.run.tty !== undefined;
  // In a group or a job it is already.
  if (tracker.type !== 'cgroup' && tracker.type !== 'job' && isKnown(agent.identity)) tracker.assign(agent.identity);
  const unfollow = hadTerminal ? starter.followStops(near, agent.identity, world.pid) : () => undefined;
  const watch = watchMembership({
    tracker,
    isAgentAlive: () => agent.status === undefined,
    look: () => void look(running),
  });
  tellTracker(block, options.tracker, reporter);
  if (!options.quiet) void tellEarlier(block, platform, reporter);

  const hurry = new AbortController();
  const { graceMs, keep } = options;
  const ending = { block, platform, starter, reporter, graceMs, keep, hurry: hurry.signal };
  // Of what is not tracked there is no tree to end: the agent alone is told to.
  const isTracked = tracker.type !== 'stub' && !options.terminal;
  const endsTree = isTracked && !(options.leftovers === 'keep' && options.leftoversGiven);
  const end = await supervise({
    agent,
    starter,
    signals,
    platform: near,
    reporter,
    hurry,
    endsTree,
    hadTerminal,
    ownPid: world.pid,
    timeoutMs: options.timeoutMs,
    graceMs: options.graceMs,
    endTree: () => endBlock(ending),
  });
  unfollow();
  watch.stop();
  block.ended(toExit(end), world.now());
  tellOutOfMemory(block, tracker, reporter);

  // What ending the tree left alive is tried once more with the leftovers, and named there.
  const asked = options.terminal ? 'keep' : options.leftovers;
  const policy = end.cause !== 'none' && endsTree ? 'kill' : asked;
  const { leaked } = await handleLeftovers({ ...ending, tracker, policy, world, mustKnow: options.failOnLeak }).catch(
    (error: unknown) => {
      if (!isUnreadable(error)) throw error;
      reporter.say(`what ${block.record.id} left behind is not known: ${error.message}`);
      return { leaked: false };
    },
  );
  sweepLabels(block, platform);
  tracker.dispose();
  block.setTracker({ ...block.record.tracker, job: tracker.record.job });
  removeKeptGroups(block.record);
  orphans.stop();
  agent.release();
  signals.stop();
  const leaving = decideLeaving(end, leaked && options.failOnLeak, starter.canRaise(world.pid));
  return starter.leave(leaving, {
    status: agent.status,
    isForced: end.cause !== 'none',
    platform: near,
    ownPid: world.pid,
  });
}

/** Looks for members everywhere, so that what left the group stays known. */
async function look(running: Running): Promise<void> {
  const { block, tracker, world } = running;
  try {
    settleRoot(running);
    if (tracker.type === 'scan') tracker.memberPids();
    else recordFound(await lookAtBlock(block, world.platform), block, tracker, world.platform);
  } catch {
    // The next look comes in a second.
  }
}

/** Where processes could not be read at the agent's start, it is recorded as soon as they can be. */
function settleRoot({ agent, block, tracker, world }: Running): void {
  const { root } = block.run;
  if (root === undefined || isKnown(root) || !isKnown(agent.identity)) return;
  block.started(agent.identity, block.record.tracker, readAllSessions(withQuietStat(world.platform), world.pid));
  tracker.assign(agent.identity);
}

function isKnown({ startTicks }: Identity): boolean {
  return startTicks > 0;
}

/** A signal that asks us to end came before the agent was started. */
function turnBack(
  { block, tracker }: EnclosedBlock,
  before: BlockRecord | undefined,
  signals: SignalListener,
  { world, starter }: { readonly world: LaunchWorld; readonly starter: ProgramStarter },
): number {
  takeBack({ block, tracker }, before);
  const { pending } = signals;
  const signal = pending ?? 'SIGTERM';
  signals.stop();
  const end: RunEnd = { cause: 'none', status: { type: 'signal', signal }, killed: undefined };
  const ending = { status: undefined, isForced: false, platform: world.platform, ownPid: world.pid };
  return starter.leave(decideLeaving(end, false, starter.canRaise(world.pid)), ending);
}

/** Nothing was started: no record and no group of it stay. */
function takeBack({ block, tracker }: Pick<EnclosedBlock, 'block' | 'tracker'>, before: BlockRecord | undefined): void {
  tracker.dispose();
  block.withdraw(before);
}

function toExit({ status, cause }: RunEnd): RunExit {
  return {
    code: status?.type === 'code' ? status.code : undefined,
    signal: status?.type === 'signal' ? status.signal : undefined,
    timedOut: cause === 'timeout',
  };
}
