import fs from 'node:fs';
import path from 'node:path';
import { readFileText } from '../state/read-file.ts';
import { type HookRecord, parseHookRecord } from './hook-record.ts';
import type { CallRecords } from './join.ts';
import { type CallReport, parseReport } from './report.ts';
import { parseShellRecord, type ShellRecord } from './shell-record.ts';

/** Bounds of what is read, against files that are none of ours. */
export const readLimits = {
  /** Newest records of each kind. */
  records: 4096,
  recordBytes: 4 << 20,
  reportBytes: 64 << 20,
} as const;

/**
 * Reads what hooks, the shell prefix and reporters left in the directory of a block's calls (files `hook.*`, `call.*`,
 * and NDJSON in `report*`). Never throws and never blocks: what is torn, foreign, huge or no regular file is passed over,
 * and no directory is no calls. `uid` is undefined where the system has no user ids.
 */
export function readCalls(directory: string, uid: number | undefined): CallRecords {
  const files = listFiles(directory, uid);
  const hooks: HookRecord[] = [];
  const shells: ShellRecord[] = [];
  for (const { name, atMs } of newest(files, /^hook\.\d/)) {
    const hook = parseHookRecord(name, readText(directory, name, readLimits.recordBytes, uid), atMs);
    if (hook !== undefined) hooks.push(hook);
  }
  for (const { name, atMs } of newest(files, /^call\.\d/)) {
    const shell = parseShellRecord(name, readText(directory, name, readLimits.recordBytes, uid), atMs);
    if (shell !== undefined) shells.push(shell);
  }
  return { directory, hooks, shells, reports: readReports(directory, newest(files, /^report/), uid) };
}

interface CallFile {
  readonly name: string;
  /** When it was last written, ms since the epoch. */
  readonly atMs: number;
}

function listFiles(directory: string, uid: number | undefined): CallFile[] {
  try {
    const own = fs.lstatSync(directory);
    if (!own.isDirectory() || (uid !== undefined && own.uid !== uid && own.uid !== 0)) return [];
    return fs.readdirSync(directory).flatMap((name) => statFile(directory, name));
  } catch {
    return [];
  }
}

function statFile(directory: string, name: string): CallFile[] {
  if (!/^(hook|call|report)/.test(name)) return [];
  const stat = fs.lstatSync(path.join(directory, name), { throwIfNoEntry: false });
  return stat?.isFile() ? [{ name, atMs: stat.mtimeMs }] : [];
}

/** Oldest first. */
function newest(files: readonly CallFile[], pattern: RegExp): CallFile[] {
  return files
    .filter(({ name }) => pattern.test(name))
    .sort((a, b) => a.atMs - b.atMs)
    .slice(-readLimits.records);
}

function readText(directory: string, name: string, maxBytes: number, uid: number | undefined): string {
  const file = readFileText(path.join(directory, name), maxBytes, uid);
  return file.status === 'ok' ? file.text : '';
}

/** A report without a timestamp is of the time at which its file was last written: later than it came, never earlier. */
function readReports(directory: string, files: readonly CallFile[], uid: number | undefined): CallReport[] {
  return files.flatMap(({ name, atMs }) =>
    readText(directory, name, readLimits.reportBytes, uid)
      .split('\n')
      .flatMap((line) => parseReport(line, atMs) ?? []),
  );
}
