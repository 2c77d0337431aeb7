import type { TrackerReason } from '../model/block.ts';
import { parseGroupName } from './group-name.ts';

/** Every reason for which a stronger tracker was not taken, or is weaker than it could be. Stable: scripts read them. */
export type ReasonCode =
  | 'forced'
  | 'terminal'
  | 'not-linux'
  | 'not-windows'
  | 'no-cgroup2'
  | 'group-hidden'
  | 'read-only'
  | 'permission'
  | 'threaded'
  | 'group-limit'
  | 'move-refused'
  | 'old-group'
  | 'not-delegated'
  | 'no-user-manager'
  | 'scope-failed'
  | 'kernel-too-old'
  | 'no-native'
  | 'job-failed'
  | 'job-refused'
  | 'job-gone'
  | 'job-denied'
  | 'job-foreign'
  | 'inside-job'
  | 'no-ps'
  | 'read-by-ps'
  | 'read-by-last-resort'
  | 'hidden-environment'
  | 'no-subreaper'
  | 'no-adoption'
  | 'wsl-interop'
  | 'hidepid';

/** What a command that improves things must know of this host; unknown parts make it general. */
export interface ReasonFacts {
  readonly uid: number;
  readonly user: string;
  /** Where cgroup v2 is mounted. */
  readonly mountPoint: string | undefined;
  /** Absolute directory of our own group. */
  readonly ownGroup: string | undefined;
  /** Nearest group above ours that is no threaded one. */
  readonly domainGroup: string | undefined;
  /** Our unit, if the system's manager started it. */
  readonly unit: string | undefined;
}

/** What doctor tells of a reason. */
export interface ReasonAdvice {
  /** One sentence: what stands in the way. */
  readonly sentence: string;
  /** The one command, typed in the shell that starts the agent, that would improve it; undefined if there is none. */
  readonly command: string | undefined;
}

export function makeReason(code: ReasonCode, detail: string): TrackerReason {
  return { code, detail };
}

/** The sentence and the command for a reason; an unknown code (of a newer version) is told by its detail. */
export function adviseOn(reason: TrackerReason, facts: ReasonFacts): ReasonAdvice {
  const advise = isReasonCode(reason.code) ? ADVICE[reason.code] : undefined;
  return advise === undefined ? { sentence: reason.detail, command: undefined } : advise(facts, reason.detail);
}

/** All codes, for tables of help and tests. */
export function listReasonCodes(): ReasonCode[] {
  return Object.keys(ADVICE) as ReasonCode[];
}

const ADVICE: Record<ReasonCode, (facts: ReasonFacts, detail: string) => ReasonAdvice> = {
  forced: () => ({
    sentence: 'a tracker was asked for by name, so that no stronger one was tried',
    command: 'unset AGENTMUX_TRACKER',
  }),
  terminal: () => ({
    sentence: 'the block is the shell of a person, of which nothing is tracked',
    command: undefined,
  }),
  'not-linux': () => ({ sentence: 'control groups exist on Linux only', command: undefined }),
  'not-windows': () => ({ sentence: 'job objects exist on Windows only', command: undefined }),
  'no-cgroup2': (facts) => ({
    sentence: 'no cgroup v2 hierarchy is mounted',
    command: sudo(facts, 'sh -c "mkdir -p /sys/fs/cgroup/unified && mount -t cgroup2 none /sys/fs/cgroup/unified"'),
  }),
  'group-hidden': (facts) => ({
    sentence: 'cgroup v2 is mounted, but not the part of it that this process is in',
    command: sudo(facts, `mount -t cgroup2 none ${quote(facts.mountPoint ?? '/sys/fs/cgroup')}`),
  }),
  'read-only': (facts) => ({
    sentence: 'cgroup v2 is mounted read-only, as in most containers',
    command: sudo(facts, `mount -o remount,rw,bind ${quote(facts.mountPoint ?? '/sys/fs/cgroup')}`),
  }),
  permission: (facts) => ({
    sentence: 'the group of this process is not writable for this user',
    command: delegateCommand(facts),
  }),
  threaded: (facts) => ({
    sentence: 'the group of this process is threaded, and such groups hold threads, not processes',
    command: sudo(facts, `sh -c 'echo "$0" > ${quote(facts.domainGroup ?? '/sys/fs/cgroup')}/cgroup.procs' $$`),
  }),
  'group-limit': (facts) => ({
    sentence: 'the number or depth of groups below the group of this process is limited',
    command:
      facts.ownGroup &&
      sudo(
        facts,
        `sh -c 'echo max > ${quote(facts.ownGroup)}/cgroup.max.descendants; echo max > ${quote(facts.ownGroup)}/cgroup.max.depth'`,
      ),
  }),
  'move-refused': (facts) => ({
    sentence: 'a group could be made, but no process could be moved into it',
    command: delegateCommand(facts),
  }),
  'old-group': (_, detail) => ({
    sentence: 'processes of an earlier run are in a group that cannot be entered from here',
    command: endBlockCommand(detail),
  }),
  'not-delegated': (facts) => ({
    sentence: 'this is a system service whose group is not delegated to it, and leaving it would escape its limits',
    command: facts.unit && sudo(facts, delegateUnit(facts.unit)),
  }),
  'no-user-manager': (facts) => ({
    sentence: 'the systemd manager of this user does not run',
    command: sudo(facts, `loginctl enable-linger ${quote(facts.user)}`),
  }),
  'scope-failed': () => ({
    sentence: 'the systemd manager of this user did not make a scope',
    command: 'systemctl --user daemon-reexec',
  }),
  'kernel-too-old': () => ({
    sentence: 'the kernel has no cgroup.kill (Linux 5.14): groups are ended by freezing and signalling instead',
    command: undefined,
  }),
  'no-native': () => ({
    sentence: 'the native part of this installation (ffi-rs) cannot be loaded, and Windows tells nothing without it',
    command: 'npm install --include=optional',
  }),
  'job-failed': () => ({ sentence: 'the system did not make a job object', command: undefined }),
  'job-refused': () => ({
    sentence: 'the system starts no program in a job object of ours, as in a job that allows none within it',
    command: undefined,
  }),
  'job-gone': () => ({
    sentence: 'nobody holds the job object of the block any more, so that it has no name: members are found by scan',
    command: undefined,
  }),
  'job-denied': () => ({
    sentence: 'the job object of the block belongs to an elevated session or to another user',
    command: 'powershell -Command "Start-Process cmd -Verb RunAs"',
  }),
  'job-foreign': () => ({
    sentence: "a job object with the name of the block's is somebody else's",
    command: undefined,
  }),
  'inside-job': () => ({
    sentence:
      'this process is in the job object of another program (a terminal, CI), and so is what a run leaves behind',
    command: undefined,
  }),
  'no-ps': () => ({
    sentence: 'ps, by which processes are read here, fails, so that nothing is known of any',
    command: undefined,
  }),
  'read-by-ps': () => ({
    sentence:
      'processes are read by the programs ps and lsof: starts in whole seconds, so that a pid that is used again within ' +
      'one could be mistaken; command lines as one text; no executable, no memory of its own',
    command: undefined,
  }),
  'read-by-last-resort': () => ({
    sentence:
      'ps does not tell what is needed, so that pids and parents are all that is known: what is listed may be another ' +
      'process by now, and only agentmux-run itself ends what it has seen all along',
    command: undefined,
  }),
  'hidden-environment': () => ({
    sentence:
      'the environments of programs that come with the system (System Integrity Protection), of those that overwrite ' +
      'their title (claude, npm, next-server) and of other users are hidden: such members are known by descent, process ' +
      'group and session alone',
    command: undefined,
  }),
  'no-subreaper': () => ({
    sentence:
      'orphans are adopted by the system and not by agentmux-run: one that left its session and cleared its ' +
      'environment before it was seen is lost',
    command: undefined,
  }),
  'no-adoption': () => ({
    sentence:
      'nobody adopts orphans: one with a cleared environment is known only while agentmux-run runs and if it has seen the ' +
      'program that started it',
    command: undefined,
  }),
  'wsl-interop': () => ({
    sentence: 'programs of Windows can be started from here: a kill ends their Linux side only, and they may go on',
    command: undefined,
  }),
  hidepid: (facts) => ({
    sentence: '/proc hides the processes of other users: such members show as a pid only',
    command: sudo(facts, 'mount -o remount,hidepid=0 /proc'),
  }),
};

/** The block's id stands in the name of its group. */
function endBlockCommand(detail: string): string | undefined {
  const names = detail.split(/[/:\s]/).map(parseGroupName);
  const block = names.find((name) => name !== undefined)?.blockId;
  return block && `agentmux kill-tree --block ${quote(block)}`;
}

/** Gives the user a group of its own below the mount and moves the calling shell (`$$`) into it. */
function delegateCommand(facts: ReasonFacts): string {
  const group = quote(`${facts.mountPoint ?? '/sys/fs/cgroup'}/agentmux-user-${facts.uid}`);
  const script = `mkdir -p ${group} && chown ${facts.uid} ${group} ${group}/cgroup.procs && echo "$0" > ${group}/cgroup.procs`;
  return sudo(facts, `sh -c '${script}' $$`);
}

function delegateUnit(unit: string): string {
  const directory = `/etc/systemd/system/${unit}.d`;
  const text = '[Service]\\nDelegate=yes\\n';
  return `sh -c 'mkdir -p ${directory} && printf "${text}" > ${directory}/delegate.conf && systemctl daemon-reload && systemctl restart ${unit}'`;
}

function sudo(facts: ReasonFacts, command: string): string {
  return facts.uid === 0 ? command : `sudo ${command}`;
}

/** Paths and names are the host's, but a blank in one would still break the command. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `"${text.replace(/["\\$`]/g, '\\$&')}"`;
}

function isReasonCode(code: string): code is ReasonCode {
  return Object.hasOwn(ADVICE, code);
}
