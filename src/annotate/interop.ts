import type { NamedProcess } from '../filter/shells.ts';

/**
 * True for the Linux side of a Windows program that was started from WSL: binfmt_misc gives `.exe` files to `/init`, with
 * the path of the file as the first argument (registered as `WSLInterop`, flags PF).
 */
export function isInterop({ exe, argv }: Pick<NamedProcess, 'exe' | 'argv'>): boolean {
  return (exe ?? argv?.[0]) === '/init' && argv?.[0] === '/init' && /^\/.+\.exe$/is.test(argv[1] ?? '');
}

export const INTEROP_NOTE =
  'Windows program of WSL interop: a kill ends the Linux side only, what it does on Windows may go on';
