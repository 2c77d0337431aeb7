import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import { findBashwrap } from '../../launch/apply-labels.ts';
import { trackerChoices } from '../../launch/options.ts';
import type { BlockRecord, Confidence, TrackerReason, TrackerType } from '../../model/block.ts';
import { findOwnGroup } from '../../platform/linux/cgroup-mount.ts';
import { native } from '../../platform/linux/native.ts';
import { findManagerSocket, isSystemdHost, lingers, parseUnitPlace } from '../../platform/linux/systemd.ts';
import type { Platform } from '../../platform/platform.ts';
import { selectStarter } from '../../platform/select-starter.ts';
import { findReaderNotes } from '../../trackers/coverage.ts';
import { findPlaceNotes } from '../../trackers/job-place.ts';
import { adviseOn, type ReasonFacts } from '../../trackers/reasons.ts';
import { findCoverageNotes, plansAfter, planTrackers, readReasonFacts } from '../../trackers/select.ts';
import { TrackerError } from '../../trackers/tracker.ts';
import { diagnoseState, type StateDiagnosis } from './state-diagnosis.ts';

/** What a run that is started here would get, and what stands in the way of more. */
export interface Diagnosis {
  readonly system: Platform['os'];
  readonly tracker: TrackerDiagnosis;
  /** The one command that would improve it; undefined if there is none or nothing to improve. */
  readonly improve: string | undefined;
  readonly state: StateDiagnosis;
  /** How processes are read: by calls of the system, or by programs. */
  readonly processes: { readonly reader: string; readonly adoptsOrphans: boolean };
  readonly native: { readonly available: boolean; readonly detail: string | undefined };
  readonly userManager: UserManager;
  /** What runs add to which agents' commands so that tool calls can be told apart; undefined if this installation cannot. */
  readonly labels: LabelsDiagnosis | undefined;
}

export interface LabelsDiagnosis {
  readonly agents: readonly string[];
  readonly adds: readonly string[];
  /** Why nothing is added on this system; undefined if it is. */
  readonly obstacle: string | undefined;
}

export interface TrackerDiagnosis {
  readonly type: TrackerType;
  readonly confidence: Confidence;
  /** True if it would be a scope of the user's systemd manager. */
  readonly isScope: boolean;
  /** Why it is not a better one, and what is weaker in it than it could be. */
  readonly reasons: readonly DiagnosedReason[];
}

export interface DiagnosedReason extends TrackerReason {
  readonly sentence: string;
  /** What would take the reason away. */
  readonly command: string | undefined;
}

export interface UserManager {
  readonly status: 'available' | 'absent' | 'no-systemd';
  /** True if it outlives the last logout; undefined where there is none. */
  readonly lingers: boolean | undefined;
  /** True if what a run leaves here would be ended at the last logout. */
  readonly isLogoutTrap: boolean;
}

/** Looks, and proves the tracker by making one and removing it again. Throws nothing for what it finds. */
export async function diagnose(context: Context): Promise<Diagnosis> {
  const facts = readReasonFacts();
  const trial = await tryTrackers(context);
  const reasons = [
    ...trial.reasons,
    ...findCoverageNotes(context.platform),
    ...findReaderNotes(context.platform, trial.type),
    ...findPlaceNotes(context.platform, () => listRecords(context)),
  ];
  const tracker = { ...trial, reasons: reasons.map((reason) => ({ ...reason, ...adviseOn(reason, facts) })) };
  const userManager = diagnoseUserManager(context, facts, trial.isScope);
  const status = native.status();
  return {
    system: context.platform.os,
    tracker,
    improve: selectImprovement(tracker, userManager),
    state: diagnoseState(context),
    processes: {
      reader: context.platform.reader?.().name ?? 'the system',
      adoptsOrphans: context.platform.os === 'linux',
    },
    native: {
      available: status.type === 'available',
      detail: status.type === 'available' ? undefined : status.reason,
    },
    userManager,
    labels: await diagnoseLabels(context),
  };
}

async function diagnoseLabels({ platform }: Context): Promise<LabelsDiagnosis | undefined> {
  const { labelsObstacle } = await selectStarter(platform.os);
  if (labelsObstacle !== undefined) return { agents: [], adds: [], obstacle: labelsObstacle };
  const adds = ['--settings', 'CLAUDE_CODE_SHELL_PREFIX'];
  return findBashwrap() === undefined ? undefined : { agents: ['claude'], adds, obstacle: undefined };
}

function listRecords({ store }: Context): readonly BlockRecord[] {
  try {
    return store.list().blocks;
  } catch {
    // What is wrong with the state is told in its own place.
    return [];
  }
}

interface Trial extends Omit<TrackerDiagnosis, 'reasons'> {
  readonly reasons: readonly TrackerReason[];
}

async function tryTrackers(context: Context): Promise<Trial> {
  const { platform, env, pid } = context;
  const wrapper = platform.identify(pid);
  if (wrapper === undefined) throw new Error('internal: this process cannot be looked at');
  const forced = trackerChoices.find((choice) => choice === env['AGENTMUX_TRACKER']);
  const tag = randomBytes(16).toString('hex');
  let plans = planTrackers({
    ...{ platform, env, kind: 'agent' as const, blockId: 'doctor', tag, wrapper },
    ...(forced !== undefined && { forced }),
  });
  for (;;) {
    const [plan] = plans;
    if (plan === undefined) throw new Error('internal: no tracker is left to try');
    try {
      const tracker = await plan.create();
      const { type, confidence, scope, reasons } = tracker.record;
      tracker.dispose();
      return { type, confidence, isScope: scope !== undefined, reasons };
    } catch (error) {
      if (!(error instanceof TrackerError)) throw error;
      plans = plansAfter(plans, error);
    }
  }
}

function diagnoseUserManager(context: Context, { uid, user }: ReasonFacts, isScope: boolean): UserManager {
  if (!isSystemdHost()) return { status: 'no-systemd', lingers: undefined, isLogoutTrap: false };
  const isThere = findManagerSocket(context.env['XDG_RUNTIME_DIR'], uid) !== undefined;
  const own = findOwnGroup();
  const isInManager = own.status === 'found' && parseUnitPlace(own.path).type === 'user-unit';
  const isLingering = lingers(user);
  return {
    status: isThere ? 'available' : 'absent',
    lingers: isLingering,
    isLogoutTrap: !isLingering && (isScope || isInManager),
  };
}

/** The first reason is that of the best tracker. A good one can still end at logout. */
function selectImprovement(
  { confidence, reasons }: TrackerDiagnosis,
  { isLogoutTrap }: UserManager,
): string | undefined {
  const commands = reasons.flatMap(({ code, command }) => (command === undefined ? [] : [{ code, command }]));
  if (confidence !== 'high') return commands[0]?.command;
  if (isLogoutTrap) return 'loginctl enable-linger';
  return commands.find(({ code }) => code === 'hidepid')?.command;
}
