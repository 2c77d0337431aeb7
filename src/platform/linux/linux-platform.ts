import { existsSync } from 'node:fs';
import type { Identity } from '../../model/identity.ts';
import { isGone, type ProcessDetails } from '../../model/process.ts';
import type { DetailFields, Platform } from '../platform.ts';
import { readChildren } from './children.ts';
import { readCommandLine } from './cmdline.ts';
import { readEnvironment, readTag, readVariables } from './environ.ts';
import { readHost } from './host.ts';
import { readKernelUnits } from './kernel-units.ts';
import { readCwd, readExe, readLink } from './links.ts';
import { readListeners } from './net.ts';
import { readOpenPorts } from './open-ports.ts';
import { signalVerified } from './signal.ts';
import { readStat } from './stat.ts';
import { readStatus } from './status.ts';
import { listPids, readLastPid, readTable } from './table.ts';
import { readBootMs } from './time.ts';
import { formatTty } from './tty.ts';

/**
 * Linux by procfs alone: no child process, no native code. This folder holds raw reads and calls, a pure parse…()
 * beside each read…(); what they mean for a block is decided elsewhere.
 *
 * `procRoot` is where procfs is mounted.
 */
export function createLinuxPlatform(options: { readonly procRoot?: string } = {}): Platform {
  const procRoot = options.procRoot ?? '/proc';
  const host = once(() => readHost(procRoot));
  const units = once(() => readKernelUnits(procRoot));
  const bootMs = once(() => readBootMs(procRoot, Date.now()));

  function identify(pid: number): Identity | undefined {
    const stat = readStat(procRoot, pid, units());
    if (stat === undefined || isGone(stat)) return undefined;
    const { bootId, pidNamespace } = host();
    return { pid: stat.pid, startTicks: stat.startTicks, bootId, pidNamespace };
  }

  function isAlive(identity: Identity): boolean {
    const { bootId, pidNamespace } = host();
    if (identity.bootId !== bootId || identity.pidNamespace !== pidNamespace) return false;
    // Most that are asked for have ended, and an error is dear.
    if (!existsSync(`${procRoot}/${identity.pid}`)) return false;
    const stat = readStat(procRoot, identity.pid, units());
    return stat !== undefined && !isGone(stat) && stat.startTicks === identity.startTicks;
  }

  return {
    os: 'linux',
    host,
    identify,
    isAlive,
    readStat: (pid) => readStat(procRoot, pid, units()),
    readTable: () => readTable(procRoot, units()),
    listPids: () => listPids(procRoot),
    lastPid: () => readLastPid(procRoot),
    readDetails: (pid, fields) => readDetails(procRoot, pid, fields),
    readEnvironment: (pid) => readEnvironment(procRoot, pid),
    readVariables: (pid, names) => readVariables(procRoot, pid, names),
    readOpenFile: (pid, fd) => readLink(`${procRoot}/${pid}/fd/${fd}`),
    findTag: (pid, tags) => readTag(procRoot, pid, tags),
    children: (pid) => readChildren(procRoot, pid, units()),
    readListeners: (pids) => readListeners(procRoot, pids),
    readOpenPorts: () => readOpenPorts(procRoot),
    startedAtMs: (startTicks) => Math.round(bootMs() + (startTicks * 1000) / units().ticksPerSecond),
    signal: (identity, signal) => signalVerified(identity, signal, { procRoot, units: units(), host: host() }),
    ttyName: formatTty,
  };
}

function readDetails(procRoot: string, pid: number, fields: DetailFields): ProcessDetails {
  const commandLine = fields.argv ? readCommandLine(procRoot, pid) : undefined;
  const status = fields.status ? readStatus(procRoot, pid) : undefined;
  return {
    argv: commandLine?.argv,
    argvBytes: commandLine?.argvBytes,
    exe: fields.exe ? readExe(procRoot, pid) : undefined,
    cwd: fields.cwd ? readCwd(procRoot, pid) : undefined,
    uid: status?.uid,
    privateBytes: status?.privateBytes,
    innerPid: status?.innerPid,
  };
}

/** Calls `make` on first use and keeps what it gave. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
