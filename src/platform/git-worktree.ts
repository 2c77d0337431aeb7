import fs from 'node:fs';
import path from 'node:path';

/** The git work tree that a directory is in. All texts are the repository's: untrusted. */
export interface GitWorktree {
  /** Its top directory. */
  readonly path: string;
  /** Branch that is checked out; undefined on a detached head and where it cannot be read. */
  readonly branch: string | undefined;
  /** True for one that `git worktree add` made, or a submodule: `.git` is a file that names the repository. */
  readonly isLinked: boolean;
}

/**
 * The work tree that holds a directory, by the files alone (gitrepository-layout(5)): the next `.git` upwards, a
 * directory or a file `gitdir: PATH`. Runs no git, which would run what the repository's configuration names. Undefined
 * outside of any. Never throws.
 */
export function findGitWorktree(directory: string): GitWorktree | undefined {
  if (!path.isAbsolute(directory)) return undefined;
  let at = path.normalize(directory);
  for (let steps = 0; steps < MAX_DEPTH; steps += 1) {
    const found = readWorktree(at);
    if (found !== undefined) return found;
    const above = path.dirname(at);
    if (above === at) return undefined;
    at = above;
  }
  return undefined;
}

/** Asks for each directory once: many processes share few. */
export function createWorktreeFinder(): (directory: string | undefined) => GitWorktree | undefined {
  const known = new Map<string, GitWorktree | undefined>();
  return (directory) => {
    if (directory === undefined) return undefined;
    if (!known.has(directory)) known.set(directory, findGitWorktree(directory));
    return known.get(directory);
  };
}

/** Deeper than any path that the kernel takes as a whole (PATH_MAX). */
const MAX_DEPTH = 4096;
const MAX_FILE_BYTES = 4096;

function readWorktree(top: string): GitWorktree | undefined {
  const dotGit = path.join(top, '.git');
  const stat = statQuietly(dotGit);
  if (stat?.isDirectory()) {
    // An empty `.git` is what some sandboxes put in the way of a real one.
    const branch = readBranch(dotGit);
    return branch === undefined && statQuietly(path.join(dotGit, 'HEAD')) === undefined
      ? undefined
      : { path: top, branch, isLinked: false };
  }
  const named = stat?.isFile() ? /^gitdir: (.+)$/m.exec(readShort(dotGit) ?? '')?.[1] : undefined;
  return named === undefined
    ? undefined
    : { path: top, branch: readBranch(path.resolve(top, named.trimEnd())), isLinked: true };
}

function readBranch(gitDirectory: string): string | undefined {
  return /^ref: refs\/heads\/(.+)$/m.exec(readShort(path.join(gitDirectory, 'HEAD')) ?? '')?.[1];
}

function statQuietly(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A file that is no regular one, or longer than it can be, is not read: opening it might never end. */
function readShort(file: string): string | undefined {
  const stat = statQuietly(file);
  if (!stat?.isFile() || stat.size > MAX_FILE_BYTES) return undefined;
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
