import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { readProcs } from './cgroup-fs.ts';

/** A mounted cgroup v2 hierarchy, as mountinfo tells it (proc_pid_mountinfo(5)). */
export interface CgroupMount {
  readonly mountPoint: string;
  /** Path within the hierarchy that the mount shows, e.g. `/`; `/..` and the like for what is outside our namespace. */
  readonly root: string;
  /** True if the mount or its file system is read-only. */
  readonly readOnly: boolean;
}

/** Our own group, or why there is none to be seen. */
export type OwnGroup =
  | {
      readonly status: 'found';
      /** Absolute path in the file system. */
      readonly directory: string;
      /** Path by the `0::` line. */
      readonly path: string;
      readonly mount: CgroupMount;
    }
  /** No cgroup v2 hierarchy is mounted, or we are in none. */
  | { readonly status: 'none'; readonly detail: string }
  /** A hierarchy is mounted but shows another part of the tree. */
  | { readonly status: 'hidden'; readonly detail: string; readonly mount: CgroupMount };

/** Magic number of cgroup v2, statfs(2). */
const CGROUP2_SUPER_MAGIC = 0x63677270;
/** Bounds of the search for our group in a tree whose names we do not know. */
const SEARCH_DEPTH = 12;
const SEARCH_GROUPS = 4096;

/**
 * Finds the group of this process by mountinfo and the `0::` line, checked by file system type: a path alone proves
 * nothing, as hybrid hosts mount the hierarchy under `unified` and a plain tmpfs may stand in its place.
 */
export function findOwnGroup(procRoot = '/proc'): OwnGroup {
  const path = parseOwnPath(readText(`${procRoot}/self/cgroup`));
  if (path === undefined) return { status: 'none', detail: 'this kernel runs without cgroup v2' };
  const mounts = parseMountinfo(readText(`${procRoot}/self/mountinfo`)).filter(isCgroup2);
  const mount = mounts.find((one) => !one.readOnly) ?? mounts[0];
  if (!mount) return { status: 'none', detail: 'no cgroup v2 file system is mounted' };

  const resolved = resolveGroup(mount, path);
  if (resolved !== undefined && holdsUs(resolved) !== false) {
    return { status: 'found', directory: resolved, path, mount };
  }
  const searched = findHolder(mount.mountPoint);
  if (searched !== undefined) return { status: 'found', directory: searched, path, mount };
  return { status: 'hidden', detail: `group ${path} is not below ${mount.mountPoint}`, mount };
}

/** Path of the `0::` line of /proc/PID/cgroup, wherever it stands (hybrid hosts list v1 lines too); cgroups(7). */
export function parseOwnPath(text: string): string | undefined {
  const line = text.split('\n').find((one) => one.startsWith('0::'));
  return line?.slice(3).replace(/ \(deleted\)$/, '');
}

/** The cgroup v2 mounts, last mounted first, since a later mount hides an earlier one at the same place. */
export function parseMountinfo(text: string): CgroupMount[] {
  const mounts: CgroupMount[] = [];
  for (const line of text.split('\n')) {
    const [before, after] = splitOnce(line, ' - ');
    if (after === undefined) continue;
    const [type, , superOptions = ''] = after.split(' ');
    const [, , , root, mountPoint, options = ''] = before.split(' ');
    if (type !== 'cgroup2' || root === undefined || mountPoint === undefined) continue;
    mounts.push({
      mountPoint: unescapeOctal(mountPoint),
      root: unescapeOctal(root),
      readOnly: hasOption(options, 'ro') || hasOption(superOptions, 'ro'),
    });
  }
  return mounts.reverse();
}

/** Directory of the group `path` below the mount; undefined if the mount does not show it or its place is unknown. */
export function resolveGroup(mount: CgroupMount, path: string): string | undefined {
  const root = mount.root === '/' ? '' : mount.root;
  if (hasDots(root) || hasDots(path) || !path.startsWith('/')) return undefined;
  if (path === root) return mount.mountPoint;
  if (!path.startsWith(`${root}/`)) return undefined;
  const below = path.slice(root.length + 1);
  return below === '' ? mount.mountPoint : join(mount.mountPoint, below);
}

/** True if the directory is in a cgroup v2 file system. */
export function isCgroup2Directory(directory: string): boolean {
  // Most that are asked for have been removed, and an error is dear.
  if (!existsSync(directory)) return false;
  try {
    return statfsSync(directory).type === CGROUP2_SUPER_MAGIC;
  } catch {
    return false;
  }
}

/** Path of the group of a process by its `0::` line; undefined if it has ended. */
export function readGroupPath(pid: number | 'self', procRoot = '/proc'): string | undefined {
  return parseOwnPath(readText(`${procRoot}/${pid}/cgroup`));
}

function isCgroup2(mount: CgroupMount): boolean {
  return isCgroup2Directory(mount.mountPoint);
}

/** Undefined if the group does not tell: a threaded group does not list processes. */
function holdsUs(directory: string): boolean | undefined {
  const procs = readProcs(directory);
  if (procs.status === 'threaded') return undefined;
  return procs.status === 'ok' && procs.pids.includes(process.pid);
}

/** The group below `top` that lists this process: needed where a cgroup namespace hides the names above us. */
function findHolder(top: string): string | undefined {
  let level = [top];
  let left = SEARCH_GROUPS;
  for (let depth = 0; depth <= SEARCH_DEPTH && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const directory of level) {
      if (left-- <= 0) return undefined;
      if (holdsUs(directory) === true) return directory;
      next.push(...readSubdirectories(directory));
    }
    level = next;
  }
  return undefined;
}

function readSubdirectories(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => join(directory, entry.name));
  } catch {
    return [];
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** Space, tab, newline and backslash are written as `\ooo` (proc_pid_mountinfo(5)). */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

function hasOption(options: string, name: string): boolean {
  return options.split(',').includes(name);
}

function hasDots(path: string): boolean {
  return path.split('/').includes('..');
}
