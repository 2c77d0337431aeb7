/**
 * By what a name can be taken so that the kernel gives it back when its holder ends: an abstract socket (Linux), a named
 * pipe (Windows), or a file that open(2) locks (O_EXLOCK of macOS and the BSDs).
 */
export type LockKind = 'abstract-socket' | 'named-pipe' | 'locked-file';

/** What this system has. */
export function selectLockKind(system: NodeJS.Platform = process.platform): LockKind {
  if (system === 'win32') return 'named-pipe';
  return system === 'linux' || system === 'android' ? 'abstract-socket' : 'locked-file';
}
