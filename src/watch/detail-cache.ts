import { describeTexts, type RowMember, type RowTexts } from '../annotate/rows.ts';
import { type Listener, type ProcessDetails, UNKNOWN_DETAILS } from '../model/process.ts';
import type { DetailFields, ListenersResult, Platform } from '../platform/platform.ts';
import type { ProcessTable } from './process-table.ts';

type Known = { -readonly [Field in keyof ProcessDetails]?: ProcessDetails[Field] };

interface Entry {
  readonly startTicks: number | undefined;
  comm: string | undefined;
  rssBytes: number | undefined;
  details: Known;
  texts: RowTexts | undefined;
  listeners: readonly Listener[] | 'denied' | undefined;
  /** CPU that it had used when its sockets were read. */
  listenersCpuMs: number | undefined;
}

/** A process that is younger than this may still become another program of the same name by exec, ms. */
const YOUNG_MS = 5000;

/**
 * What was read of processes beside their status lines, kept by identity: the command line and the executable until the
 * process takes another name, memory until its resident set changes.
 */
export class DetailCache {
  readonly #platform: Platform;
  readonly #table: ProcessTable;
  readonly #entries = new Map<number, Entry>();

  constructor(platform: Platform, table: ProcessTable) {
    this.#platform = platform;
    this.#table = table;
  }

  /** The platform as a look uses it: what is known is not read again. */
  asPlatform(): Platform {
    return {
      ...this.#platform,
      readStat: (pid) => this.#table.stat(pid) ?? this.#platform.readStat(pid),
      readDetails: (pid, fields) => this.read(pid, fields),
    };
  }

  /** As Platform.readDetails; reads only what is not known. */
  read(pid: number, fields: DetailFields): ProcessDetails {
    const { details } = this.#entry(pid);
    const missing = {
      argv: fields.argv === true && !('argv' in details),
      exe: fields.exe === true && !('exe' in details),
      cwd: fields.cwd === true && !('cwd' in details),
      status: fields.status === true && !('privateBytes' in details),
    };
    if (Object.values(missing).includes(true)) {
      const { argv, argvBytes, exe, cwd, uid, privateBytes, innerPid } = this.#platform.readDetails(pid, missing);
      if (missing.argv) Object.assign(details, { argv, argvBytes });
      if (missing.exe) Object.assign(details, { exe });
      if (missing.cwd) Object.assign(details, { cwd });
      if (missing.status) Object.assign(details, { uid, privateBytes, innerPid });
    }
    return { ...UNKNOWN_DETAILS, ...details };
  }

  /**
   * Drops what the last reading of the status line has made doubtful; true if the process may be another program now.
   * The directory has no such sign: it is dropped where `isLooked`.
   */
  review(pid: number, isLooked: boolean, nowMs: number): boolean {
    const entry = this.#entries.get(pid);
    const stat = this.#table.stat(pid);
    if (entry === undefined || stat === undefined) return false;
    const { details } = entry;
    if (isLooked) delete details.cwd;
    if (stat.rssBytes !== entry.rssBytes) {
      entry.rssBytes = stat.rssBytes;
      delete details.privateBytes;
    }
    const isYoung = nowMs - this.#platform.startedAtMs(stat.startTicks) < YOUNG_MS;
    if (stat.comm === entry.comm && !isYoung && !isLooked) return false;
    const before = details.argv?.join('\0');
    entry.comm = stat.comm;
    for (const field of ['argv', 'argvBytes', 'exe'] as const) delete details[field];
    if (this.read(pid, { argv: true, exe: true }).argv?.join('\0') === before) return false;
    entry.texts = undefined;
    return true;
  }

  /** describeTexts, said once as long as nothing of it changes. */
  readonly describe: typeof describeTexts = (member: RowMember, details, redact) => {
    const entry = this.#entry(member.pid);
    entry.texts ??= describeTexts(member, details, redact);
    const { cwd, uid, privateBytes, innerPid } = details ?? UNKNOWN_DETAILS;
    return { ...entry.texts, cwd, uid, privateBytes, innerPid };
  };

  /** Reads the listening sockets of these processes again; true if any are others than before. */
  readListeners(pids: readonly number[]): boolean {
    if (pids.length === 0) return false;
    const { byPid, denied } = this.#platform.readListeners(pids);
    let isNews = false;
    for (const pid of pids) {
      const entry = this.#entry(pid);
      const listeners = byPid.get(pid) ?? (denied.has(pid) ? 'denied' : []);
      isNews ||= JSON.stringify(listeners) !== JSON.stringify(entry.listeners);
      entry.listeners = listeners;
      entry.listenersCpuMs = this.#table.stat(pid)?.cpuMs;
    }
    return isNews;
  }

  /** True if a process has worked since its sockets were read: one that opens a port does so for longer than a tick. */
  hasWorked(pid: number): boolean {
    return this.#entries.get(pid)?.listenersCpuMs !== this.#table.stat(pid)?.cpuMs;
  }

  /** The listening sockets as they were last read. */
  listenersOf(pids: readonly number[]): ListenersResult {
    const byPid = new Map<number, readonly Listener[]>();
    const denied = new Set<number>();
    for (const pid of pids) {
      const listeners = this.#entries.get(pid)?.listeners;
      if (listeners === 'denied' || listeners === undefined) denied.add(pid);
      else if (listeners.length > 0) byPid.set(pid, listeners);
    }
    return { byPid, denied };
  }

  /** Forgets all processes but these. */
  keep(pids: ReadonlySet<number>): void {
    for (const pid of this.#entries.keys()) if (!pids.has(pid)) this.#entries.delete(pid);
  }

  #entry(pid: number): Entry {
    const stat = this.#table.stat(pid);
    const known = this.#entries.get(pid);
    if (known !== undefined && (stat === undefined || known.startTicks === stat.startTicks)) return known;
    const entry: Entry = {
      startTicks: stat?.startTicks,
      comm: stat?.comm,
      rssBytes: stat?.rssBytes,
      details: {},
      texts: undefined,
      listeners: undefined,
      listenersCpuMs: undefined,
    };
    this.#entries.set(pid, entry);
    return entry;
  }
}
