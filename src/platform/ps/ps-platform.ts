import type { HostIdentity, Identity } from '../../model/identity.ts';
import { isGone, type Listener, type ProcessDetails, type ProcessStat } from '../../model/process.ts';
import type { SignalOutcome } from '../../model/signal.ts';
import type { DetailFields, ListenersResult, ListeningSocket, Platform } from '../platform.ts';
import { guessWords, isPlaceholder } from './command-line.ts';
import { dialectsFor } from './dialect.ts';
import { cutEnvironment, pickTag, pickVariables, splitEnvironment } from './environment.ts';
import { createFileReader, type FileSlot } from './files.ts';
import { createLastResort, type LastResortProgram } from './last-resort.ts';
import { readAllListeners } from './lsof.ts';
import type { PsRow } from './parse-table.ts';
import { readPsHost } from './ps-host.ts';
import { createPsReader } from './ps-reader.ts';
import type { RunProgram } from './run-program.ts';
import { findSessions } from './sessions.ts';
import { createSnapshot } from './snapshot.ts';

export interface PsPlatformOptions {
  /** The system whose `ps` this is, as Node names it. */
  readonly system: NodeJS.Platform;
  readonly run: RunProgram;
  /** This process and its user. */
  readonly pid: number;
  readonly uid: number | undefined;
  readonly lastResort: LastResortProgram;
}

/**
 * Any Unix by the programs `ps` and `lsof`: for macOS, and for systems without a reader of their own. What it cannot
 * tell is unknown: words of a command line, the executable, memory of its own, a start more exact than a second.
 */
export function createPsPlatform(options: PsPlatformOptions): Platform {
  const { system, run, uid: ownUid } = options;
  const reader = createPsReader(run, dialectsFor(system), options.pid, createLastResort(run, options.lastResort));
  const snapshot = createSnapshot(reader);
  const files = createFileReader(run);
  const ttys = createNumbering();
  const host = once(readHost);
  const listeners = createShared(() => readAllListeners(run), LISTENERS_GOOD_MS);

  /** What the last resort tells means nothing to another process, which is as one in another pid namespace. */
  function readHost(): HostIdentity {
    const read = readPsHost(system, run);
    return reader.failure() === undefined ? read : { ...read, pidNamespace: `seen by ${options.pid}` };
  }

  function toIdentity(row: PsRow): Identity {
    const { bootId, pidNamespace } = host();
    return { pid: row.pid, startTicks: row.startSeconds, bootId, pidNamespace };
  }

  function isHere({ bootId, pidNamespace }: Identity): boolean {
    return bootId === host().bootId && pidNamespace === host().pidNamespace;
  }

  function toStats(rows: readonly PsRow[]): ProcessStat[] {
    const visible = reader.dialect()?.name === 'procps' ? rows.filter((row) => !isKernelThread(row)) : rows;
    const sessions = visible.some(({ sid }) => sid === undefined) ? findSessions(visible) : undefined;
    return visible.map((row) => toStat(row, row.sid ?? sessions?.get(row.pid) ?? 0));
  }

  function toStat(row: PsRow, sid: number): ProcessStat {
    return {
      pid: row.pid,
      ppid: row.ppid,
      pgid: row.pgid,
      sid,
      ttyNr: row.tty === undefined ? 0 : ttys.numberOf(row.tty),
      tpgid: row.tpgid,
      startTicks: row.startSeconds,
      state: row.state,
      cpuMs: row.cpuMs,
      rssBytes: row.rssBytes,
      comm: shortName(row.name),
    };
  }

  function readStat(pid: number): ProcessStat | undefined {
    const row = snapshot.row(pid);
    if (row === undefined || (reader.dialect()?.name === 'procps' && isKernelThread(row))) return undefined;
    return toStat(row, row.sid ?? findSessions([...snapshot.rows(), row]).get(pid) ?? 0);
  }

  function readText(pid: number): { readonly row: PsRow; readonly text: string } | undefined {
    const row = snapshot.lastRow(pid);
    const text = row && snapshot.command(row, false)?.text;
    return row === undefined || text === undefined || isPlaceholder(text) ? undefined : { row, text };
  }

  /** Undefined where none is shown, be it another user's or hidden by the system. */
  function readEnvironmentText(pid: number): string | undefined {
    const known = readText(pid);
    const withEnvironment = known && snapshot.command(known.row, true)?.text;
    return known && withEnvironment && cutEnvironment(known.text, withEnvironment);
  }

  function readDetails(pid: number, fields: DetailFields): ProcessDetails {
    const decode = reader.dialect()?.decode ?? asIs;
    const known = fields.argv || fields.exe ? readText(pid) : undefined;
    const text = known && decode(known.text);
    const name = known?.row.name;
    return {
      argv: fields.argv && text !== undefined ? guessWords(text, name) : undefined,
      argvBytes: undefined,
      exe: fields.exe && name?.startsWith('/') ? name : undefined,
      cwd: fields.cwd ? readFile(pid, 'cwd') : undefined,
      uid: fields.status ? snapshot.lastRow(pid)?.uid : undefined,
      privateBytes: undefined,
      innerPid: undefined,
    };
  }

  function readFile(pid: number, slot: FileSlot): string | undefined {
    return files.read(pid, slot);
  }

  function readListeners(pids: Iterable<number>): ListenersResult {
    const all = listeners();
    const byPid = new Map<number, readonly Listener[]>();
    const denied = new Set<number>();
    for (const pid of pids) {
      const found = all?.get(pid);
      if (found !== undefined) byPid.set(pid, found);
      else if (all === undefined || isForeign(pid)) denied.add(pid);
    }
    return { byPid, denied };
  }

  function isForeign(pid: number): boolean {
    return ownUid !== 0 && snapshot.lastRow(pid)?.uid !== ownUid;
  }

  function readOpenPorts(): ListeningSocket[] {
    const sockets = new Map<string, ListeningSocket & { readonly pids: number[] }>();
    for (const [pid, found] of listeners() ?? []) {
      for (const one of found) {
        const key = `${one.protocol} ${one.address} ${one.port}`;
        const socket = sockets.get(key) ?? { ...one, uid: snapshot.lastRow(pid)?.uid, otherNamespace: false, pids: [] };
        socket.pids.push(pid);
        sockets.set(key, socket);
      }
    }
    return [...sockets.values()];
  }

  function signal(identity: Identity, name: NodeJS.Signals): SignalOutcome {
    const { pid } = identity;
    if (!Number.isSafeInteger(pid) || pid <= 1) throw new Error(`internal: refused to signal pid ${pid}`);
    if (identity.bootId !== host().bootId) return 'gone';
    if (identity.pidNamespace !== host().pidNamespace) return 'denied';
    const row = snapshot.rowNow(pid);
    if (row === undefined || isGone(row) || row.startSeconds !== identity.startTicks) return 'gone';
    snapshot.touch(pid);
    return send(pid, name);
  }

  return {
    os: system === 'darwin' ? 'darwin' : 'other',
    host,
    identify(pid) {
      const row = snapshot.row(pid);
      return row === undefined || isGone(row) ? undefined : toIdentity(row);
    },
    isAlive(identity) {
      const row = isHere(identity) ? snapshot.rowOf(identity.pid, identity.startTicks) : undefined;
      return row !== undefined && !isGone(row);
    },
    readStat,
    readTable: () => toStats(snapshot.fresh()),
    listPids: () => snapshot.rows().map(({ pid }) => pid),
    lastPid: () => undefined,
    readDetails,
    readEnvironment(pid) {
      const text = readEnvironmentText(pid);
      return text === undefined ? undefined : splitEnvironment(text).map(reader.dialect()?.decode ?? asIs);
    },
    readVariables(pid, names) {
      const text = readEnvironmentText(pid);
      return text === undefined ? undefined : pickVariables((reader.dialect()?.decode ?? asIs)(text), names);
    },
    readOpenFile: (pid, fd) => (fd === 1 || fd === 2 ? readFile(pid, fd === 1 ? '1' : '2') : undefined),
    findTag(pid, tags) {
      // One call instead of two: a tag is a nonce, and who has it among its arguments was given it by a member.
      const row = snapshot.lastRow(pid);
      const text = row && snapshot.command(row, true)?.text;
      return text === undefined ? undefined : pickTag(text, tags);
    },
    children: (pid) =>
      snapshot
        .rows()
        .filter((row) => row.ppid === pid)
        .map((row) => row.pid),
    readListeners,
    readOpenPorts,
    hidesPorts: ownUid !== 0,
    startedAtMs: (startTicks) => startTicks * 1000,
    signal,
    ttyName: (ttyNr) => ttys.nameOf(ttyNr),
    reader() {
      const failure = reader.failure();
      if (failure !== undefined) return { name: 'pidtree or ps-tree', detail: failure, isLastResort: true };
      return { name: 'ps and lsof', detail: `ps of the kind ${reader.dialect()?.name}`, isLastResort: false };
    },
    helperNames: HELPERS,
  };
}

const LISTENERS_GOOD_MS = 500;
const HELPERS: ReadonlySet<string> = new Set(['ps', 'lsof', 'sysctl', 'ioreg']);

/** procps lists Linux' kernel threads: in no group and no session, without memory, below pid 2 or none. */
function isKernelThread({ pgid, sid, rssBytes, ppid }: PsRow): boolean {
  return pgid === 0 && sid === 0 && rssBytes === 0 && (ppid === 2 || ppid === 0);
}

/** macOS prints argv[0], which may be a path with blanks in it, or a title that names a path in passing. */
function shortName(name: string): string {
  return name.startsWith('/') ? name.slice(name.lastIndexOf('/') + 1) : name;
}

function send(pid: number, signal: NodeJS.Signals): SignalOutcome {
  try {
    process.kill(pid, signal);
    return 'sent';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EPERM') return 'denied';
    if (code === 'ESRCH') return 'gone';
    throw error;
  }
}

function asIs(text: string): string {
  return text;
}

/** Numbers for names, from 1 up, in the order in which they are asked for. */
function createNumbering() {
  const numbers = new Map<string, number>();
  const names: string[] = [];
  return {
    numberOf(name: string): number {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      names.push(name);
      numbers.set(name, names.length);
      return names.length;
    },
    nameOf: (number: number): string | undefined => names[number - 1],
  };
}

/** What `read` gave, read again when it is older than `goodMs`. */
function createShared<T>(read: () => T, goodMs: number): () => T {
  let kept: { readonly at: number; readonly value: T } | undefined;
  return () => {
    if (kept === undefined || performance.now() - kept.at > goodMs) kept = { at: performance.now(), value: read() };
    return kept.value;
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
