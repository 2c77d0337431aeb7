import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorktreeFinder, findGitWorktree } from '../../src/platform/git-worktree.ts';

/** Directories and files by path, `undefined` for a directory. */
function makeFiles(files: Readonly<Record<string, string | undefined>>): string {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'agentmux-git-')));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(join(top, contents === undefined ? name : join(name, '..')), { recursive: true });
    if (contents !== undefined) writeFileSync(join(top, name), contents);
  }
  return top;
}

describe('findGitWorktree', () => {
  it('goes up to the next .git and reads the branch', () => {
    const top = makeFiles({ 'app/.git/HEAD': 'ref: refs/heads/feature/x\n', 'app/src/deep': undefined });
    const expected = { path: join(top, 'app'), branch: 'feature/x', isLinked: false };
    expect(findGitWorktree(join(top, 'app/src/deep'))).toEqual(expected);
    expect(findGitWorktree(join(top, 'app'))).toEqual(expected);
  });

  it('follows the file of a linked work tree, absolute or relative', () => {
    const top = makeFiles({
      'main/.git/HEAD': 'ref: refs/heads/main\n',
      'main/.git/worktrees/b/HEAD': 'ref: refs/heads/topic\n',
      'b/.git': 'gitdir: ../main/.git/worktrees/b\n',
    });
    expect(findGitWorktree(join(top, 'b'))).toEqual({ path: join(top, 'b'), branch: 'topic', isLinked: true });
    writeFileSync(join(top, 'b/.git'), `gitdir: ${join(top, 'main/.git/worktrees/b')}\n`);
    expect(findGitWorktree(join(top, 'b'))?.branch).toBe('topic');
  });

  it('knows no branch on a detached head', () => {
    const top = makeFiles({ 'app/.git/HEAD': `${'a'.repeat(40)}\n` });
    expect(findGitWorktree(join(top, 'app'))).toEqual({ path: join(top, 'app'), branch: undefined, isLinked: false });
  });

  it.each([
    ['a .git that is a directory without a HEAD', { 'app/.git': undefined }],
    ['a .git file that names nothing', { 'app/.git': 'nonsense' }],
    ['a .git file of a size that none has', { 'app/.git': `gitdir: ${'x'.repeat(5000)}` }],
    ['no .git at all', { app: undefined }],
  ])('takes %s for none', (_, files) => {
    const top = makeFiles(files);
    const outside = findGitWorktree(top);
    expect(findGitWorktree(join(top, 'app'))).toEqual(outside);
  });

  it('never throws for what is no directory', () => {
    for (const directory of ['', 'relative', '/nope (deleted)', '/a\0b', '/proc/1/root/x']) {
      expect(() => findGitWorktree(directory)).not.toThrow();
    }
  });
});

describe('createWorktreeFinder', () => {
  it('looks once at each directory', () => {
    const top = makeFiles({ 'app/.git/HEAD': 'ref: refs/heads/one\n' });
    const find = createWorktreeFinder();
    expect(find(join(top, 'app'))?.branch).toBe('one');
    writeFileSync(join(top, 'app/.git/HEAD'), 'ref: refs/heads/two\n');
    expect(find(join(top, 'app'))?.branch).toBe('one');
    expect(find(undefined)).toBeUndefined();
  });
});
