/** What is needed to name a process; `undefined` is unreadable. */
export interface NamedProcess {
  /** Path of the executable as the kernel names it, perhaps with a trailing ` (deleted)`. */
  readonly exe: string | undefined;
  readonly argv: readonly string[] | undefined;
  readonly comm: string | undefined;
}

const SHELLS: ReadonlySet<string> = new Set([
  ...['bash', 'sh', 'dash', 'zsh', 'fish', 'cmd', 'powershell', 'pwsh', 'nu'],
  ...['ksh', 'mksh', 'tcsh', 'csh'],
]);

/** Executables that are many programs, told apart by the name they are called with. */
const MULTI_CALL: ReadonlySet<string> = new Set(['busybox', 'toybox']);

/**
 * Name of a process: its executable's basename, lowercased, without `.exe`; a multi-call binary is named by what it was
 * called as; where the executable is unreadable argv[0] counts, then comm. Empty if nothing is known.
 */
export function processName(process: NamedProcess): string {
  return executableName(process) || baseName(process.comm ?? '');
}

/** As processName, but never by comm, which a process sets at will and Node sets to `MainThread`; else empty. */
export function executableName(process: NamedProcess): string {
  const name = baseName((process.exe ?? '').replace(/ \(deleted\)$/, ''));
  if (MULTI_CALL.has(name)) {
    return appletName(process.argv ?? []) || name;
  }
  return name || calledName(process.argv?.[0]);
}

/** True for the name of a shell, as processName gives it. */
export function isShell(name: string): boolean {
  return SHELLS.has(name);
}

/** True for Windows' console host, which every console program gets and nobody started. */
export function isConhost(name: string): boolean {
  return name === 'conhost';
}

/**
 * Basename of a path of any system, lowercased, without `.exe`. Both separators count on every system, since records
 * and paths cross them; blanks never split, since paths hold them.
 */
export function baseName(path: string): string {
  const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return path
    .slice(end + 1)
    .toLowerCase()
    .replace(/\.exe$/, '');
}

/** Name that a process was called with; a login shell's leading `-` is no part of it. */
export function calledName(argv0: string | undefined): string {
  return baseName((argv0 ?? '').replace(/^-/, ''));
}

/** `busybox sh` and a link `sh` to busybox are the same program. */
function appletName(argv: readonly string[]): string {
  const name = calledName(argv[0]);
  return MULTI_CALL.has(name) ? calledName(argv[1]) : name;
}
