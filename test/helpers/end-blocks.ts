import { readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endProcess } from './processes.ts';
import { readEnvironment, readTable, type TableRow, withDescendants } from './procfs.ts';

interface Traces {
  readonly cgroups: Set<string>;
  readonly tags: Set<string>;
  /** `pid:startTicks` of everything that the state files name, or `pid:seconds` where `ps` told the starts. */
  readonly identities: Set<string>;
}

/**
 * Ends every process of the blocks in a state directory and removes their cgroups: by what the files say, by the tag,
 * by an extra environment entry that all have inherited, and by descent. Independent of the code under test.
 */
export async function endBlocks(stateDirectory: string, entry: string): Promise<void> {
  const traces = readTraces(stateDirectory);
  for (let quiet = 0, pass = 0; quiet < 2 && pass < 200; pass++) {
    const victims = findVictims(traces, entry);
    for (const pid of victims) endProcess(pid);
    for (const path of traces.cgroups) killCgroup(path);
    quiet = victims.length === 0 ? quiet + 1 : 0;
    await delay(5);
  }
  for (const path of traces.cgroups) removeCgroup(path);
}

function readTraces(stateDirectory: string): Traces {
  const traces: Traces = { cgroups: new Set(), tags: new Set(), identities: new Set() };
  const directory = join(stateDirectory, 'blocks');
  for (const name of listNames(directory)) {
    const text = readFileSync(join(directory, name), 'utf8');
    for (const [, tag] of text.matchAll(/"tag":\s*"([^"]+)"/g)) traces.tags.add(`AGENTMUX_TAG=${tag}`);
    for (const [, path] of text.matchAll(/"cgroupPath":\s*"(\/[^"]+)"/g)) {
      if (path === undefined || !basename(path).startsWith('agentmux-')) continue;
      traces.cgroups.add(path);
      traces.cgroups.add(`${path}.kept`);
    }
    for (const [, pid, ticks] of text.matchAll(/"pid":\s*(\d+),\s*"startTicks":\s*(\d+)/g)) {
      traces.identities.add(`${pid}:${ticks}`);
    }
  }
  return traces;
}

function findVictims({ tags, identities }: Traces, entry: string): number[] {
  const table = readTable();
  const seeds = table.filter((row) => isSeed(row, tags, identities, entry)).map((row) => row.pid);
  return [...withDescendants(table, seeds)].filter((pid) => pid > 1 && pid !== process.pid);
}

function isSeed(row: TableRow, tags: Set<string>, identities: Set<string>, entry: string): boolean {
  if (row.pid === process.pid) return false;
  const seconds = BOOT_SECONDS + Math.floor(row.startTicks / 100);
  // `ps` and this sum may round apart.
  const starts = [row.startTicks, seconds - 1, seconds, seconds + 1];
  if (starts.some((start) => identities.has(`${row.pid}:${start}`))) return true;
  return readEnvironment(row.pid).some((value) => value === entry || tags.has(value));
}

/** When the system was booted, seconds since 1970 (proc_stat(5)); starts count in hundredths from then. */
const BOOT_SECONDS = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]);

function killCgroup(path: string): void {
  try {
    writeFileSync(join(path, 'cgroup.kill'), '1');
  } catch {
    // removed already, or not ours to kill: the table has its members
  }
}

function removeCgroup(path: string): void {
  // Interface files of the kernel hold a dot; groups that agents made below ours need not be spared.
  for (const name of listNames(path)) if (!name.includes('.')) removeCgroup(join(path, name));
  try {
    rmdirSync(path);
  } catch {
    // removed already
  }
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
