import type { BlockRecord, TrackerReason } from '../model/block.ts';
import type { Platform } from '../platform/platform.ts';
import { type Win32, Win32Code, Win32Error } from '../platform/windows/ffi-call.ts';
import { JobAccess, openJob, readJobPids } from '../platform/windows/job-calls.ts';
import { closeHandle } from '../platform/windows/process-calls.ts';
import { parseOwner } from '../platform/windows/sddl.ts';
import { readObjectSecurity, readOwnSpellings } from '../platform/windows/security.ts';
import { isJobOfBlock } from './job-name.ts';
import { makeReason } from './reasons.ts';

/** An open job, or why it cannot be had. */
export type JobOpening =
  | { readonly status: 'opened'; readonly handle: number; close(): void }
  | { readonly status: 'lost'; readonly reason: TrackerReason };

export interface OpenJobDeps {
  readonly win32: Win32;
  readonly platform: Platform;
}

/**
 * Opens the recorded job of a block by its name, for these rights and to look into it. Taken only if the name carries the
 * block's nonce and the job is this user's, or a recorded root of the block is in it: anybody may make a job of any name.
 */
export function openJobOf(record: BlockRecord, deps: OpenJobDeps, access: number): JobOpening {
  const { win32 } = deps;
  const name = record.tracker.job?.name;
  if (name === undefined || !isJobOfBlock(name, record.id, record.tag)) return lost('job-gone', 'no job is recorded');
  let handle: number | undefined;
  try {
    handle = openJob(win32, name, access | JobAccess.query | JobAccess.readControl);
  } catch (error) {
    if (!(error instanceof Win32Error)) throw error;
    return lost(error.code === Win32Code.accessDenied ? 'job-denied' : 'job-failed', `${name}: ${error.message}`);
  }
  if (handle === undefined) return lost('job-gone', name);
  const opened = handle;
  const close = () => closeHandle(win32, opened);
  if (isOwnJob(win32, opened) || holdsRoot(record, deps, opened)) return { status: 'opened', handle: opened, close };
  close();
  return lost('job-foreign', name);
}

/** True if the job was made by this user: nobody else can name this user as its owner. */
export function isOwnJob(win32: Win32, job: number): boolean {
  try {
    const owner = parseOwner(readObjectSecurity(win32, job));
    return owner !== undefined && readOwnSpellings(win32).has(owner);
  } catch (error) {
    if (error instanceof Win32Error) return false;
    throw error;
  }
}

function holdsRoot({ runs }: BlockRecord, { win32, platform }: OpenJobDeps, job: number): boolean {
  const roots = runs.flatMap(({ root }) => (root ? [root] : []));
  const pids = roots.length === 0 ? [] : readJobPids(win32, job);
  return roots.some((root) => pids.includes(root.pid) && platform.isAlive(root));
}

function lost(code: Parameters<typeof makeReason>[0], detail: string): JobOpening {
  return { status: 'lost', reason: makeReason(code, detail) };
}
