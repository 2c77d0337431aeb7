import { createRequire } from 'node:module';
import { AgentmuxError } from '../errors.ts';
import { createLinuxPlatform } from './linux/linux-platform.ts';
import type { Platform } from './platform.ts';
import { createPsPlatform } from './ps/ps-platform.ts';
import { createProgramRunner } from './ps/run-program.ts';
import { createWindowsPlatform } from './windows/windows-platform.ts';

/** How processes are to be read, as the environment says. */
export interface PlatformWishes {
  /**
   * AGENTMUX_PROCESS_TABLE: `ps` reads by the programs `ps` and `lsof` where there is a reader of our own too,
   * `ps-darwin` takes what they print for what macOS prints.
   */
  readonly processTable?: string | undefined;
  /** PATH, in which these programs are found. */
  readonly path?: string | undefined;
}

/** The platform for a system as Node names it (`process.platform`). Throws AgentmuxError `unsupported-system`, `usage`. */
export function selectPlatform(system: NodeJS.Platform, wishes: PlatformWishes = {}): Platform {
  const { processTable = '', path } = wishes;
  if (system === 'win32') return selectWindows(process.arch);
  if (!PROCESS_TABLES.includes(processTable)) {
    const hint = `one of: ${PROCESS_TABLES.filter((name) => name !== '').join(', ')}`;
    throw new AgentmuxError('usage', `AGENTMUX_PROCESS_TABLE=${processTable} names no way to read processes`, { hint });
  }
  const isLinux = system === 'linux' || system === 'android';
  if (isLinux && processTable === '') return createLinuxPlatform();
  return createPsPlatform({
    system: processTable === 'ps-darwin' ? 'darwin' : system,
    run: createProgramRunner(path),
    pid: process.pid,
    uid: process.getuid?.(),
    lastResort: { node: process.execPath, script: findScript() },
  });
}

/** What the calls of Windows take and give is laid out for 64 bits there. */
export function selectWindows(architecture: NodeJS.Architecture): Platform {
  if (architecture === 'x64' || architecture === 'arm64') return createWindowsPlatform();
  throw new AgentmuxError('failed', `agentmux cannot run on a Node of ${architecture} for Windows`, {
    code: 'unsupported-system',
    hint: 'install Node for x64 or arm64',
  });
}

/** It lies beside the bundle. */
function findScript(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('./list-processes.cjs');
  } catch {
    return undefined;
  }
}

const PROCESS_TABLES = ['', 'ps', 'ps-darwin'];
