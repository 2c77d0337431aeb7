import { extractCommand } from './undo-quoting.ts';

/** What the shell prefix noted of the shell of a Bash call. */
export interface ShellRecord {
  /** Of the file: a process of the call carries it in its AGENTMUX_CALL. */
  readonly name: string;
  readonly pid: number;
  /** Undefined where the kernel tells no status line. */
  readonly startTicks: number | undefined;
  readonly sid: number | undefined;
  readonly sessionId: string | undefined;
  /** The agent itself. */
  readonly agentPid: number | undefined;
  /** As it runs, hooks' rewriting included; undefined if it was too long to be noted, or is in no form that we know. */
  readonly command: string | undefined;
  readonly atMs: number;
}

/**
 * Parses the record of that file name, written at `atMs`; undefined if it is torn or none. Lines: `agentmux-call 1`, the pid, the
 * status line (may be empty), the agent's session, the agent's pid, the string (any number of lines), `end`.
 */
export function parseShellRecord(name: string, text: string, atMs: number): ShellRecord | undefined {
  const match = /^agentmux-call 1\n(\d{1,10})\n(.*)\n(.*)\n(.*)\n([\s\S]*)\nend\n$/.exec(text);
  if (match === null) return undefined;
  const [, pid, stat = '', sessionId = '', agentPid = '', string = ''] = match;
  const status = parseStatus(stat);
  if (status !== undefined && status.pid !== Number(pid)) return undefined;
  return {
    name,
    pid: Number(pid),
    startTicks: status?.startTicks,
    sid: status?.sid,
    sessionId: sessionId === '' ? undefined : sessionId,
    agentPid: /^\d{1,10}$/.test(agentPid) ? Number(agentPid) : undefined,
    command: extractCommand(string),
    atMs,
  };
}

interface Status {
  readonly pid: number;
  readonly sid: number;
  readonly startTicks: number;
}

/** Fields 1, 6 and 22 of proc_pid_stat(5); the name before the last `)` may hold anything. */
function parseStatus(line: string): Status | undefined {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [pid, sid, startTicks] = [Number.parseInt(line, 10), Number(fields[3]), Number(fields[19])];
  const isWhole = line.includes(')') && [pid, sid, startTicks].every((value) => Number.isSafeInteger(value));
  return isWhole ? { pid, sid, startTicks } : undefined;
}
