import { describeCommand } from '../annotate/command.ts';
import { redactArgv } from '../annotate/redact.ts';
import type { Identity } from '../model/identity.ts';
import type { Platform } from '../platform/platform.ts';
import type { MemberView } from '../trackers/inspect.ts';
import type { KillTarget } from './kill.ts';

/** Makes targets of members: what a report and a dry run must name, read while they still live. */
export function describeTargets(
  platform: Platform,
  members: readonly MemberView[],
  turnOf: (member: MemberView) => KillTarget['turn'],
): KillTarget[] {
  if (members.length === 0) return [];
  const listeners = platform.readListeners(members.map((member) => member.pid)).byPid;
  return members.map((member) => ({
    pid: member.pid,
    identity: identityOf(platform, member),
    ...commandOf(member),
    ports: [...new Set(listeners.get(member.pid)?.map((listener) => listener.port))].sort((a, b) => a - b),
    turn: turnOf(member),
    uid: platform.readDetails(member.pid, { status: true }).uid,
    escaped: member.escaped,
  }));
}

function identityOf(platform: Platform, member: MemberView): Identity | undefined {
  if (member.startTicks === undefined) return undefined;
  const { bootId, pidNamespace } = platform.host();
  return { pid: member.pid, startTicks: member.startTicks, bootId, pidNamespace };
}

function commandOf({ argv, stat }: MemberView): Pick<KillTarget, 'command' | 'redacted'> {
  const shown = argv === undefined ? undefined : redactArgv(argv);
  return { command: describeCommand(shown?.argv, stat?.comm) ?? '', redacted: shown?.redacted ?? false };
}
