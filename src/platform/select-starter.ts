import type { Platform } from './platform.ts';
import { posixStarter } from './posix/posix-starter.ts';
import type { ProgramStarter } from './starter.ts';

/** How programs are started on a system. That of Windows is loaded there alone. */
export async function selectStarter(os: Platform['os']): Promise<ProgramStarter> {
  if (os !== 'win32') return posixStarter;
  const { windowsStarter } = await import('./windows/windows-starter.ts');
  return windowsStarter;
}
