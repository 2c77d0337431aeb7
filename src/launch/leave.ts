import { constants } from 'node:os';
import { RunExitCode } from '../errors.ts';
import type { Leaving } from '../platform/starter.ts';
import type { RunEnd } from './supervise.ts';

/**
 * Decides how we leave. `leaked` is true if `--fail-on-leak` was given and something outlived the agent, `canRaise` if we
 * can end by a signal ourselves.
 */
export function decideLeaving(end: RunEnd, leaked: boolean, canRaise: boolean): Leaving {
  if (end.cause === 'timeout') return { type: 'code', code: RunExitCode.timedOut };
  const { status } = end;
  // It could not be ended: as if KILL had worked, so that nobody takes it for a success.
  if (status === undefined) return { type: 'code', code: codeOfSignal('SIGKILL') };
  if (status.type === 'code') {
    return { type: 'code', code: status.code === 0 && leaked ? RunExitCode.leaked : status.code };
  }
  const code = codeOfSignal(status.signal);
  // A shell breaks its loop only if it sees us die of the signal.
  const isRaised = (status.signal === 'SIGINT' || status.signal === 'SIGTERM') && canRaise;
  return isRaised ? { type: 'signal', signal: status.signal, code } : { type: 'code', code };
}

function codeOfSignal(signal: NodeJS.Signals): number {
  return 128 + (constants.signals[signal] ?? 0);
}
