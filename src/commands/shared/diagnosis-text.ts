import type { TrackerType } from '../../model/block.ts';
import { formatConfidence, formatCount } from '../../render/format.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { StateDiagnosis } from './state-diagnosis.ts';

/** The diagnosis for people, one line a fact. May hold untrusted text. */
export function describeDiagnosis(diagnosis: Diagnosis): string[] {
  const { system, tracker, improve, state, userManager } = diagnosis;
  return [
    `tracker: ${tracker.type}${tracker.isScope ? ' in a scope of its own' : ''}, confidence ${formatConfidence(tracker.confidence)} (tried just now)`,
    ...tracker.reasons.map(({ code, sentence, detail }) => `  because: ${sentence} [${code}: ${detail}]`),
    ...listEscapes(diagnosis).map((what) => `  can escape: ${what}`),
    ...(userManager.isLogoutTrap ? [`  logout: ${LOGOUT_TRAP}`] : []),
    improve === undefined ? 'improve: nothing to do' : `improve: ${improve}`,
    ...describeState(state),
    ...(diagnosis.processes.reader === 'the system' ? [] : [`processes: read by ${diagnosis.processes.reader}`]),
    `native calls: ${diagnosis.native.available ? 'available (ffi-rs)' : `not available: ${diagnosis.native.detail ?? 'unknown'}`}`,
    ...(system === 'linux' ? [`user manager: ${describeUserManager(diagnosis)}`] : []),
    `labels: ${describeLabels(diagnosis)}`,
  ];
}

function describeLabels({ labels }: Diagnosis): string {
  if (labels === undefined) return 'none, since agentmux-bashwrap is missing';
  if (labels.obstacle !== undefined) return `none: ${labels.obstacle}`;
  return `${labels.agents.join(', ')} gets ${labels.adds.join(' and ')}; --no-labels adds nothing`;
}

/** What a run started here would not keep hold of. */
export function listEscapes({
  system,
  tracker,
  native,
  processes,
}: Omit<Diagnosis, 'state' | 'userManager'>): string[] {
  const lost = 'a process that clears its environment after agentmux-run was killed and its parents have exited';
  const orphans =
    native.available && processes.adoptsOrphans
      ? lost
      : 'a process that clears its environment and whose parents have exited';
  const elsewhere = `work that a server started before does for the agent: ${SERVERS[system]}`;
  if (tracker.type === 'stub') return ['everything: nothing is tracked'];
  return [...ESCAPES[tracker.type], elsewhere, ...(tracker.type === 'scan' ? [orphans] : [])];
}

const SERVERS: Readonly<Record<Diagnosis['system'], string>> = {
  linux: 'containers, tmux, at, cron, systemd-run, ssh',
  darwin: 'containers, tmux, at, cron, launchctl, ssh',
  win32: 'containers, WSL, services, scheduled tasks, WMI, ssh',
  other: 'containers, tmux, at, cron, ssh',
};

const ESCAPES: Readonly<Record<Exclude<TrackerType, 'stub'>, readonly string[]>> = {
  job: [],
  cgroup: [
    'a process that root moves into another group; it is found by descent or its mark and shown as outside cgroup, ' +
      'unless it cleared its environment and agentmux-run was killed',
  ],
  scan: ['a process that forks faster than it can be looked for, for as long as it does'],
};

const LOGOUT_TRAP =
  'the systemd manager of this user, and all that runs under it, ends some seconds after the last logout';

function describeState(state: StateDiagnosis): string[] {
  const { status, directory, detail, hint, blocks, unreadable } = state;
  const where = directory === undefined ? '' : `${directory}, `;
  const text = {
    ok: `${where}${formatCount(blocks ?? 0, 'block', 'blocks')}`,
    absent: `${where}made by the first run`,
    unusable: `${where}not usable: ${detail}; runs are tracked but not recorded`,
  }[status];
  return [
    `state: ${text}`,
    ...(hint === undefined ? [] : [`  hint: ${hint}`]),
    ...unreadable.map((record) => `  unreadable: ${record.path} (${record.reason}): ${record.detail}`),
  ];
}

function describeUserManager({ userManager }: Diagnosis): string {
  const { status, lingers } = userManager;
  if (status === 'no-systemd') return 'this host does not run systemd';
  const linger = lingers ? 'lingers after logout' : 'does not linger after logout';
  return status === 'available' ? `available, ${linger}` : `absent, ${linger}`;
}
