import { getSystemErrorMap } from 'node:util';
import { AgentmuxError } from '../errors.ts';

/** The code of an error of the system (`ENOSPC`), undefined for any other error. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('errno' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** What the system said, in words: `no space left on device`. */
export function systemErrorWords(error: unknown): string {
  if (error instanceof Error && 'errno' in error && typeof error.errno === 'number') {
    const entry = getSystemErrorMap().get(error.errno);
    if (entry !== undefined) return entry[1];
    if (systemErrorCode(error) === undefined) return error.message;
    // libuv has no name for EDQUOT (122 on Linux, errno(3)) and some others.
    return error.errno === -122 ? 'disk quota exceeded' : `system error ${-error.errno}`;
  }
  return error instanceof Error ? error.message : String(error);
}

/**
 * Runs `action`; an error of the system becomes AgentmuxError `failed` with code `state-unwritable` that names `path`.
 * Other errors pass.
 */
export function describeFailure<T>(doing: string, path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    throw new AgentmuxError('failed', `cannot ${doing} "${path}": ${systemErrorWords(error)}`, {
      hint: 'free or repair it, or set AGENTMUX_STATE_DIR to a directory of yours',
      code: 'state-unwritable',
      cause: error,
    });
  }
}
