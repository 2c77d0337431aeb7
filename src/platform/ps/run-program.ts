/** What a helper program printed, and how it ended. */
export interface ProgramOutput {
  /** Its pid: it lists itself. */
  readonly pid: number;
  readonly text: string;
  /** Exit status; null if a signal ended it. */
  readonly status: number | null;
}

/**
 * Runs a listing program to its end. Synchronous, since Platform is. Throws ProgramError if it cannot be started or
 * takes too long; an exit status other than 0 is none.
 */
export type RunProgram = (file: string, args: readonly string[], locale?: string) => ProgramOutput;

/** A helper program could not be run to its end; `message` says why. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
}

/** How long a listing may take, ms: some 20 ms on an idle machine, seconds on a loaded one, and more only if it hangs. */
const LIMIT_MS = 10_000;

/**
 * Runs programs found in `path`, else where the system has its own. However much one prints, all of it is kept. Times
 * are in UTC and words those of the locale C, unless another is named.
 */
export function createProgramRunner(path: string | undefined): RunProgram {
  return (file, args, locale = 'C') => {
    // Loaded here alone: a start that reads no process must not pay for it.
    const { spawnSync } = process.getBuiltinModule('node:child_process');
    const result = spawnSync(file, args, {
      env: { PATH: path === undefined ? SYSTEM_PATH : `${path}:${SYSTEM_PATH}`, LC_ALL: locale, TZ: 'UTC0' },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: Number.POSITIVE_INFINITY,
      windowsHide: true,
      ...OWN_SESSION,
    });
    if (result.error) throw new ProgramError(describe(file, result.error), { cause: result.error });
    return { pid: result.pid, text: result.stdout.toString('utf8'), status: result.status };
  };
}

/**
 * In a session of its own, where neither the terminal's Ctrl-C nor a signal to our group ends it half-way: what it would
 * have told is then known to nobody. An option of spawn() that spawnSync() takes too (node, lib/child_process.js,
 * normalizeSpawnArguments; src/spawn_sync.cc), though its documentation and types leave it out.
 */
const OWN_SESSION = { detached: true };

/** Where the system's own are, for a PATH that leaves them out, as services and sandboxes have. */
const SYSTEM_PATH = '/bin:/usr/bin:/sbin:/usr/sbin';

function describe(file: string, error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return `there is no ${file}`;
  if (code === 'ETIMEDOUT') return `${file} took longer than ${LIMIT_MS / 1000} s`;
  return `${file}: ${error.message}`;
}
