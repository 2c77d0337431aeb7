import { readSmall } from './read-small.ts';

/** True if Windows programs can be started from here (WSL with interop). */
export function hasInterop(procRoot = '/proc'): boolean {
  const release = readText(`${procRoot}/sys/kernel/osrelease`);
  if (!isWslRelease(release)) return false;
  // With systemd the second name is registered.
  return ['WSLInterop', 'WSLInterop-late'].some((name) =>
    isEnabled(readText(`${procRoot}/sys/fs/binfmt_misc/${name}`)),
  );
}

/** The kernel that Microsoft builds names itself, e.g. `5.15.167.4-microsoft-standard-WSL2`, `4.4.0-19041-Microsoft`. */
export function isWslRelease(release: string): boolean {
  return /microsoft/i.test(release);
}

/** Parses an entry of binfmt_misc (Documentation/admin-guide/binfmt-misc.rst): its first line is `enabled` or `disabled`. */
export function isEnabled(entry: string): boolean {
  return /^enabled$/m.test(entry) && /^interpreter \/init$/m.test(entry);
}

function readText(path: string): string {
  return readSmall(path)?.toString('latin1').trim() ?? '';
}
