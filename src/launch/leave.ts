import { constants } from 'node:os';
import { restoreTerminalNow } from '../platform/linux/restore-terminal.ts';
import { RunExitCode } from './exit-codes.ts';
import type { AgentStatus } from './start-agent.ts';
import type { RunEnd } from './supervise.ts';
import { leaveTerminalAsItIs, resetModes } from './terminal.ts';

/** How we leave: by a code, or by the signal that the agent died of. */
export type Leaving =
  | { readonly type: 'code'; readonly code: number }
  | { readonly type: 'signal'; readonly signal: NodeJS.Signals; readonly code: number };

/** Decides it. `leaked` is true if `--fail-on-leak` was given and something outlived the agent. */
export function decideLeaving(end: RunEnd, leaked: boolean, ownPid: number): Leaving {
  if (end.cause === 'timeout') return { type: 'code', code: RunExitCode.timedOut };
  const { status } = end;
  // It could not be ended: as if KILL had worked, so that nobody takes it for a success.
  if (status === undefined) return { type: 'code', code: codeOfSignal('SIGKILL') };
  if (status.type === 'code') {
    return { type: 'code', code: status.code === 0 && leaked ? RunExitCode.leaked : status.code };
  }
  const code = codeOfSignal(status.signal);
  // A shell breaks its loop only if it sees us die of the signal. As the first process of a pid namespace we cannot:
  // the kernel drops signals without a handler there (pid_namespaces(7)).
  const isRaised = (status.signal === 'SIGINT' || status.signal === 'SIGTERM') && ownPid !== 1;
  return isRaised ? { type: 'signal', signal: status.signal, code } : { type: 'code', code };
}

/**
 * Leaves the terminal as it must be, and us by a signal if that is how. Returns the exit code otherwise; no handler for
 * INT and TERM may be installed any more.
 */
export function leave(leaving: Leaving, status: AgentStatus | undefined, ownsTerminal: boolean): number {
  const isRestored = status?.type === 'signal' && ownsTerminal;
  if (isRestored) resetModes();
  // A death by a signal skips Node's exit handlers, which would restore the terminal.
  if (leaving.type === 'signal' && (!isRestored || restoreTerminalNow())) raise(leaving.signal);
  if (!isRestored) leaveTerminalAsItIs();
  return leaving.code;
}

function codeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

function raise(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal);
}
