import { AgentmuxError } from '../errors.ts';

/** What a user names to be ended. */
export type TargetOperand =
  | { readonly type: 'pid'; readonly text: string; readonly pid: number }
  | { readonly type: 'identity'; readonly text: string; readonly pid: number; readonly startTicks: number }
  | { readonly type: 'port'; readonly text: string; readonly port: number };

/**
 * Reads one operand of `kill`: `pid`, `pid:starttime` as `ps -q` prints it, or `:port`. Plain decimal digits only, so that
 * no spelling of 0, -1 or a process group can reach a signal. Throws a usage error.
 */
export function parseTargetOperand(text: string): TargetOperand {
  const port = /^:([0-9]+)$/.exec(text);
  if (port?.[1] !== undefined) return { type: 'port', text, port: parsePort(port[1]) };
  const process = /^([1-9][0-9]*)(?::(0|[1-9][0-9]*))?$/.exec(text);
  const pid = Number(process?.[1]);
  if (process === null || pid < lowestPid || pid > highestPid) throw badOperand(text);
  if (process[2] === undefined) return { type: 'pid', text, pid };
  const startTicks = Number(process[2]);
  if (!Number.isSafeInteger(startTicks)) throw badOperand(text);
  return { type: 'identity', text, pid, startTicks };
}

/** What a user names to be ended or kept: an entry too. */
export type EntryOrTarget = TargetOperand | { readonly type: 'entry'; readonly text: string; readonly id: string };

/** As parseTargetOperand, and `p2` for an entry. */
export function parseEntryOrTarget(text: string): EntryOrTarget {
  return isEntryId(text) ? { type: 'entry', text, id: text } : parseTargetOperand(text);
}

/** True for a word that can only be the id of an entry. */
export function isEntryId(text: string): boolean {
  return /^p[1-9][0-9]*$/.test(text);
}

/** Reads a TCP port, 1 to 65535, plain decimal digits. Throws a usage error. */
export function parsePort(text: string): number {
  const port = /^[1-9][0-9]{0,4}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65535) return port;
  throw new AgentmuxError('usage', `"${text}" is no port from 1 to 65535`, { code: 'bad-port' });
}

/** 0 and 1 are never a process of an agent: kill(2) reads 0 as our own group, and 1 is the system's. */
const lowestPid = 2;
/** A pid is a C int. */
const highestPid = 2 ** 31 - 1;

function badOperand(text: string): AgentmuxError {
  return new AgentmuxError('usage', `"${text}" is no process to end`, {
    code: 'bad-target',
    hint: 'a target is a pid from 2, pid:starttime as "agentmux ps -q" prints it, :port, or an entry such as p2',
  });
}
