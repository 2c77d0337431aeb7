import type { Role } from '../../src/model/block.ts';
import type { Call } from '../../src/model/call.ts';
import type { EntryMember } from '../../src/model/entry.ts';

export interface ProcessFacts {
  readonly pid: number;
  readonly ppid?: number;
  readonly sid?: number;
  readonly pgid?: number;
  readonly startTicks?: number;
  readonly role?: Role;
  readonly argv?: readonly string[];
  readonly taskId?: string;
}

/** A live member; without a parent it is an orphan, its start is its pid, its session and group are the agent's, 100. */
export function member(facts: ProcessFacts): EntryMember {
  const { pid, ppid = 1, sid = 100, pgid = sid, startTicks = pid, role = 'started', argv = ['sleep', '600'] } = facts;
  const comm = argv[0] ?? '';
  const stat = { pid, ppid, pgid, sid, ttyNr: 0, tpgid: -1, startTicks, state: 'S', cpuMs: 0, rssBytes: 0, comm };
  const told = { mark: undefined, session: undefined, taskId: facts.taskId, callId: undefined };
  return { pid, startTicks, stat, role, evidence: { kind: 'rule', ...told }, argv, exe: `/usr/bin/${comm}` };
}

/** The agent: pid and session 100. */
export const agent = member({ pid: 100, role: 'root', argv: ['claude'] });

/** A call whose shell has that pid and started then. */
export function callOf(pid: number, facts: Partial<Call> = {}): Call {
  const base = { toolId: `toolu_${pid}`, description: undefined, command: 'sleep 600 &', background: false };
  return { ...base, pid, startTicks: pid, sid: pid, sessionId: 's', atMs: pid * 10, ...facts };
}

/** The shell of a call as claude starts it. */
export function shell(pid: number, command: string, facts: Partial<ProcessFacts> = {}): EntryMember {
  const text = `source /s 2>/dev/null || true && eval '${command}' < /dev/null && pwd -P >| /tmp/c`;
  return member({ pid, ppid: 100, sid: pid, argv: ['bash', '-c', text], ...facts });
}
