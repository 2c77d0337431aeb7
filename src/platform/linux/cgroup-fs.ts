import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * Raw reads and writes of cgroup v2 groups, by absolute directory. No policy: which group is ours and what is done to it
 * is decided in src/trackers. Files are opened without O_CREAT, so that nothing is ever made in a plain directory.
 * Source: Documentation/admin-guide/cgroup-v2.rst.
 */

/** Processes of one group; `threaded`: the group does not list any, its parent does; `gone`: it was removed. */
export type Procs =
  | { readonly status: 'ok'; readonly pids: readonly number[] }
  | { readonly status: 'threaded' }
  | { readonly status: 'gone' };

/** What became of a write; `unsupported`: the file does not exist though the group does. */
export type WriteResult =
  | { readonly status: 'done' }
  | { readonly status: 'gone' }
  | { readonly status: 'unsupported' }
  | { readonly status: 'refused'; readonly code: string };

/** Processes of this one group. */
export function readProcs(group: string): Procs {
  try {
    return { status: 'ok', pids: parseProcs(readFileSync(join(group, 'cgroup.procs'), 'utf8')) };
  } catch (error) {
    const code = codeOf(error);
    // A threaded group refuses the read (EOPNOTSUPP); its threaded domain lists these processes.
    if (code === 'ENOTSUP' || code === 'EOPNOTSUPP') return { status: 'threaded' };
    return { status: 'gone' };
  }
}

/** Pids by `cgroup.procs`. Processes outside our pid namespace are written as `0` and dropped: 0 names our own group. */
export function parseProcs(text: string): number[] {
  const pids: number[] = [];
  for (const line of text.split('\n')) {
    const pid = Number(line);
    if (pid > 0) pids.push(pid);
  }
  return pids;
}

/** Processes of the whole subtree; empty if the group is gone. */
export function readProcsRecursive(group: string): number[] {
  const pids = new Set<number>();
  for (const one of listGroups(group)) {
    const procs = readProcs(one);
    if (procs.status === 'ok') for (const pid of procs.pids) pids.add(pid);
  }
  return [...pids];
}

/** The group and all groups below it, deepest first; empty if it is gone. */
export function listGroups(group: string): string[] {
  let names: { name: string; isDirectory(): boolean }[];
  try {
    names = readdirSync(group, { withFileTypes: true });
  } catch {
    return [];
  }
  const below = names.filter((entry) => entry.isDirectory()).flatMap((entry) => listGroups(join(group, entry.name)));
  return [...below, group];
}

/** True while a process lives in the subtree (zombies do not count); undefined if the group is gone. */
export function readPopulated(group: string): boolean | undefined {
  const value = readKey(join(group, 'cgroup.events'), 'populated');
  return value === undefined ? undefined : value !== 0;
}

/** True once all processes of the subtree are frozen; undefined if the group is gone. */
export function readFrozen(group: string): boolean | undefined {
  const value = readKey(join(group, 'cgroup.events'), 'frozen');
  return value === undefined ? undefined : value !== 0;
}

/** CPU time of all processes that were ever in the subtree, µs; undefined if the group is gone. */
export function readCpuUsec(group: string): number | undefined {
  return readKey(join(group, 'cpu.stat'), 'usage_usec');
}

/** Processes killed for lack of memory in the subtree; undefined without the memory controller. */
export function readOomKills(group: string): number | undefined {
  return readKey(join(group, 'memory.events'), 'oom_kill');
}

/** `domain`, `threaded`, `domain threaded`, `domain invalid`; undefined for the root group, which has no such file. */
export function readType(group: string): string | undefined {
  try {
    return readFileSync(join(group, 'cgroup.type'), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** SIGKILL to the whole subtree at once, forks in progress included. `unsupported` before Linux 5.14 and on the root. */
export function killGroup(group: string): WriteResult {
  return write(group, 'cgroup.kill', '1');
}

/** False if the kernel has no `cgroup.kill` (before Linux 5.14): asked by opening it, whoever may write to it. */
export function hasKill(group: string): boolean {
  try {
    closeSync(openSync(join(group, 'cgroup.kill'), constants.O_WRONLY));
    return true;
  } catch (error) {
    return codeOf(error) !== 'ENOENT';
  }
}

/** Asks the kernel to freeze or thaw the subtree; it is done when readFrozen says so. */
export function setFreeze(group: string, frozen: boolean): WriteResult {
  return write(group, 'cgroup.freeze', frozen ? '1' : '0');
}

/** Moves a whole process, all its threads, into the group. */
export function moveProcess(pid: number, group: string): WriteResult {
  return write(group, 'cgroup.procs', String(pid));
}

/** Makes the group; true if it was made, false if it is there already. Throws the system's error. */
export function makeGroup(group: string): boolean {
  try {
    mkdirSync(group);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the group and those below it, deepest first; true if it is gone afterwards. A group that holds a process is
 * never removed (EBUSY), so that an attempt is harmless.
 */
export function removeGroup(group: string): boolean {
  for (const one of listGroups(group)) {
    try {
      rmdirSync(one);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') return false;
    }
  }
  return !existsSync(group);
}

/** Value of `key` in a flat keyed file's text; undefined if it is not there. */
export function parseKey(text: string, key: string): number | undefined {
  for (const line of text.split('\n')) {
    if (!line.startsWith(`${key} `)) continue;
    const value = Number(line.slice(key.length + 1));
    return Number.isFinite(value) ? value : undefined;
  }
  return undefined;
}

function readKey(path: string, key: string): number | undefined {
  try {
    return parseKey(readFileSync(path, 'utf8'), key);
  } catch {
    return undefined;
  }
}

function write(group: string, file: string, text: string): WriteResult {
  try {
    const fd = openSync(join(group, file), constants.O_WRONLY);
    try {
      writeSync(fd, text);
    } finally {
      closeSync(fd);
    }
    return { status: 'done' };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENODEV') return { status: 'gone' };
    if (code === 'ENOENT') return { status: existsSync(group) ? 'unsupported' : 'gone' };
    return { status: 'refused', code };
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
