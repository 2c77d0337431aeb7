/**
 * By what a name can be taken so that the kernel gives it back when its holder ends: an abstract socket (Linux), a kernel
 * object (Windows), or a file that open(2) locks (O_EXLOCK of macOS and the BSDs).
 */
export type LockKind = 'abstract-socket' | 'named-object' | 'locked-file';

/** What this system has. */
export function selectLockKind(system: NodeJS.Platform = process.platform): LockKind {
  if (system === 'win32') return 'named-object';
  return system === 'linux' || system === 'android' ? 'abstract-socket' : 'locked-file';
}
