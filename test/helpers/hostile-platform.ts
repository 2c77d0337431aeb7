import type { Identity } from '../../src/model/identity.ts';
import type { ProcessStat } from '../../src/model/process.ts';
import type { Platform } from '../../src/platform/platform.ts';

/** Texts of one process, as its owner chose them. */
export interface HostileTexts {
  readonly comm: string;
  readonly argv: readonly string[];
  readonly exe: string;
  readonly cwd: string;
  readonly tty: string;
}

export const hostileHost = { machineId: 'machine', bootId: 'boot', pidNamespace: '4026531836' } as const;

/** The identity of a process of that platform. */
export function hostileIdentity(pid: number): Identity {
  const { bootId, pidNamespace } = hostileHost;
  return { pid, startTicks: pid * 10, bootId, pidNamespace };
}

/**
 * A machine of these processes, the first with pid 100, each the child of the one before; all can be looked at, none can
 * be signalled. They chose every text about themselves.
 */
export function createHostilePlatform(texts: readonly HostileTexts[]): Platform {
  const stats = texts.map(({ comm }, index): ProcessStat => {
    const pid = FIRST_PID + index;
    const { startTicks } = hostileIdentity(pid);
    const ids = { pid, ppid: index === 0 ? 1 : pid - 1, pgid: pid, sid: pid, ttyNr: 34816 + index, tpgid: -1 };
    return { ...ids, startTicks, state: 'S', cpuMs: 10, rssBytes: 4096, comm };
  });
  const find = (pid: number): ProcessStat | undefined => stats[pid - FIRST_PID];
  return {
    os: 'linux',
    host: () => hostileHost,
    identify: (pid) => (find(pid) === undefined ? undefined : hostileIdentity(pid)),
    isAlive: ({ pid, startTicks }) => find(pid)?.startTicks === startTicks,
    readStat: find,
    readTable: () => [...stats],
    listPids: () => stats.map(({ pid }) => pid),
    lastPid: () => undefined,
    readDetails: (pid) => {
      const { argv, exe, cwd } = texts[pid - FIRST_PID] ?? {};
      const argvBytes = argv && Buffer.from(argv.join('\0'), 'latin1');
      return { argv, argvBytes, exe, cwd, uid: 0, privateBytes: 4096, innerPid: 2 };
    },
    readEnvironment: () => [],
    readVariables: () => undefined,
    readOpenFile: () => undefined,
    findTag: () => undefined,
    children: (pid) => stats.filter(({ ppid }) => ppid === pid).map((stat) => stat.pid),
    readListeners: (pids) => ({
      byPid: new Map([...pids].map((pid) => [pid, [{ protocol: 'tcp', address: '127.0.0.1', port: pid }]])),
      denied: new Set(),
    }),
    readOpenPorts: () =>
      stats.map(({ pid }) => {
        return { protocol: 'tcp', address: '127.0.0.1', port: pid, uid: 0, otherNamespace: false, pids: [pid] };
      }),
    startedAtMs: (startTicks) => startTicks * 10,
    signal: () => 'denied',
    ttyName: (ttyNr) => texts[ttyNr - 34816]?.tty,
  };
}

/** Pid of the first process. */
export const FIRST_PID = 100;
