import type { TrackerReason, TrackerType } from '../model/block.ts';
import { hasInterop } from '../platform/linux/wsl.ts';
import type { Platform } from '../platform/platform.ts';
import { makeReason } from './reasons.ts';

/** What the way in which processes are read here keeps from being known: for doctor. */
export function findReaderNotes({ os, reader }: Pick<Platform, 'os' | 'reader'>, type: TrackerType): TrackerReason[] {
  const how = reader?.();
  if (os === 'win32' && type === 'scan') return [makeReason('no-adoption', 'this is win32')];
  if (os === 'linux' && hasInterop()) return [makeReason('wsl-interop', 'binfmt_misc gives .exe files to /init')];
  if (how === undefined) return [];
  return [
    how.isLastResort ? makeReason('read-by-last-resort', how.detail) : makeReason('read-by-ps', how.detail),
    makeReason('no-subreaper', `this is ${os}`),
    ...(os === 'darwin' ? [makeReason('hidden-environment', 'ps shows none of these')] : []),
  ];
}
