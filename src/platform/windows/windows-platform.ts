import { AgentmuxError } from '../../errors.ts';
import type { HostIdentity, Identity } from '../../model/identity.ts';
import type { SignalOutcome } from '../../model/signal.ts';
import type { Platform } from '../platform.ts';
import { DetailsReader } from './details.ts';
import { createDirectoryGuard } from './directory-guard.ts';
import { findTag, findVariables, parseEnvironmentBlock } from './environment.ts';
import { win32 as ownWin32, type Win32 } from './ffi-call.ts';
import { readHost } from './host.ts';
import { withParameters } from './peb.ts';
import { ProcessRight, terminateProcess, withProcess } from './process-calls.ts';
import { isPid, keepPid, readStart, readStat, readTable, startOf } from './table.ts';
import { readListeners, readOpenPorts } from './tcp-table.ts';

/** What a process that we ended exits with: as after SIGKILL elsewhere. */
export const KILLED_EXIT_CODE = 137;

/**
 * Windows by native calls alone: no child process, no PowerShell. This folder holds one wrapper per call, a pure parse…()
 * where there is something to parse; what it means for a block is decided elsewhere.
 *
 * Start times (`startTicks`) are microseconds since 1970 of a process' creation, so that an identity needs no boot.
 * Throws AgentmuxError `no-native` where native code cannot be loaded: without it Windows tells nothing.
 */
export function createWindowsPlatform(win32: Win32 = ownWin32): Platform {
  const status = win32.status();
  if (status.type === 'unavailable') throw noNative(status.reason);
  const details = new DetailsReader(win32);
  let host: HostIdentity | undefined;

  const readEntries = (pid: number): string[] | undefined => {
    if (!isPid(pid)) return undefined;
    const block = withParameters(win32, pid, ({ environment }) => environment());
    return block === undefined ? undefined : parseEnvironmentBlock(block);
  };

  return {
    os: 'win32',
    endsByForce: true,
    directories: createDirectoryGuard(win32),
    host() {
      host ??= readHost(win32);
      return host;
    },
    identify(pid) {
      const startTicks = readStart(win32, pid);
      return startTicks === undefined ? undefined : { pid, startTicks, bootId: '', pidNamespace: '' };
    },
    isAlive: (identity) => isOurs(identity) && readStart(win32, identity.pid) === identity.startTicks,
    readStat: (pid) => readStat(win32, pid),
    readTable: () => readTable(win32),
    listPids: () => readTable(win32).map(({ pid }) => pid),
    // Pids are given away again in no order.
    lastPid: () => undefined,
    readDetails: (pid, fields) => details.read(pid, fields),
    readEnvironment: readEntries,
    readVariables(pid, names) {
      const entries = readEntries(pid);
      return entries && findVariables(entries, names);
    },
    // Handles have no numbers that mean the same in every program.
    readOpenFile: () => undefined,
    findTag(pid, tags) {
      const entries = tags.size === 0 ? undefined : readEntries(pid);
      return entries && findTag(entries, tags);
    },
    keepPid: (identity) => (isOurs(identity) ? keepPid(win32, identity) : undefined),
    children: (pid) =>
      readTable(win32)
        .filter((stat) => stat.ppid === pid)
        .map((stat) => stat.pid),
    readListeners: (pids) => readListeners(win32, pids),
    readOpenPorts: () => readOpenPorts(win32),
    startedAtMs: (startTicks) => Math.round(startTicks / 1000),
    signal: (identity, signal) => signalVerified(win32, identity, signal),
    ttyName: () => undefined,
  };
}

/**
 * Ends a process if it still is that process: its start is read through the very handle that ends it, so that its pid
 * cannot change hands in between. There are no signals: whatever is not KILL is `unsupported`.
 */
function signalVerified(win32: Win32, identity: Identity, signal: NodeJS.Signals): SignalOutcome {
  if (!isOurs(identity)) return 'denied';
  if (!isPid(identity.pid)) throw new Error(`internal: refused to signal pid ${identity.pid}`);
  const rights = ProcessRight.queryLimited | ProcessRight.synchronize;
  if (signal !== 'SIGKILL') return isThere(win32, identity) ? 'unsupported' : 'gone';
  const outcome = withProcess(win32, identity.pid, rights | ProcessRight.terminate, (handle): SignalOutcome => {
    if (startOf(win32, handle) !== identity.startTicks) return 'gone';
    if (terminateProcess(win32, handle, KILLED_EXIT_CODE) === 0) return 'sent';
    // One that is ending already refuses.
    return startOf(win32, handle) === 'gone' ? 'gone' : 'denied';
  });
  return outcome === 'denied' && !isThere(win32, identity) ? 'gone' : outcome;
}

function isThere(win32: Win32, { pid, startTicks }: Identity): boolean {
  return readStart(win32, pid) === startTicks;
}

/** A record of another system, in a directory that both share. */
function isOurs({ bootId, pidNamespace }: Identity): boolean {
  return bootId === '' && pidNamespace === '';
}

function noNative(reason: string): AgentmuxError {
  return new AgentmuxError('failed', `the native calls of Windows cannot be made: ${reason}`, {
    code: 'no-native',
    hint: 'install agentmux again, with its optional dependencies: npm install --include=optional',
  });
}
