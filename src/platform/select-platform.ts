import { AgentmuxError } from '../errors.ts';
import { createLinuxPlatform } from './linux/linux-platform.ts';
import type { Platform } from './platform.ts';
import { createWindowsPlatform } from './windows/windows-platform.ts';

/** The platform for a system as Node names it (`process.platform`). Throws AgentmuxError `unsupported-system`. */
export function selectPlatform(system: NodeJS.Platform): Platform {
  if (system === 'linux' || system === 'android') return createLinuxPlatform();
  if (system === 'win32') return createWindowsPlatform();
  throw new AgentmuxError('failed', `agentmux cannot read processes on "${system}"`, { code: 'unsupported-system' });
}
