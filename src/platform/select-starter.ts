import type { Platform } from './platform.ts';
import { posixStarter } from './posix/posix-starter.ts';
import type { ProgramStarter } from './starter.ts';

/** How programs are started on a system. */
export async function selectStarter(_os: Platform['os']): Promise<ProgramStarter> {
  return posixStarter;
}
