import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { DirectoryFault, DirectoryGuard } from '../../src/platform/platform.ts';
import { checkDirectory, ensureDirectory } from '../../src/state/directory.ts';
import { openStore } from '../../src/state/file-store.ts';

/** What an access list would tell, by directory; makes them with nothing but their name. */
function createGuard(faults: Readonly<Record<string, DirectoryFault>> = {}) {
  const made: string[] = [];
  const guard: DirectoryGuard = {
    make(path) {
      if (existsSync(path)) return false;
      mkdirSync(path);
      made.push(path);
      return true;
    },
    findFault: (path) => faults[path],
  };
  return { made, access: { uid: undefined, guard } };
}

function makeScratch(): string {
  const scratch = mkdtempSync(join(tmpdir(), 'agentmux-directory-'));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  return scratch;
}

it('is made by the guard of a system without modes, with what is missing above it', () => {
  const scratch = makeScratch();
  const directory = join(scratch, 'Local', 'agentmux');
  const { made, access } = createGuard();
  ensureDirectory(directory, access);
  expect(made).toEqual([join(scratch, 'Local'), directory]);
  expect(checkDirectory(directory, access)).toBe(true);
  ensureDirectory(directory, access);
  expect(made).toHaveLength(2);
});

it('is refused where the guard finds that others may write to it, with what helps', () => {
  const directory = makeScratch();
  const fault = { why: 'can be written to by other users (Everyone)', hint: 'icacls …' };
  const { access } = createGuard({ [directory]: fault });
  expect(() => openStore({ directory, machineId: 'm', ...access })).toThrow(
    expect.objectContaining({
      ...{ kind: 'refused', code: 'state-untrusted', hint: 'icacls …' },
      message: `the state directory "${directory}" can be written to by other users (Everyone)`,
    }),
  );
});

it('is refused, too, where only that of the blocks is another user’s', () => {
  const directory = makeScratch();
  mkdirSync(join(directory, 'blocks'));
  const { access } = createGuard({ [join(directory, 'blocks')]: { why: 'belongs to another user', hint: undefined } });
  expect(() => openStore({ directory, machineId: 'm', ...access })).toThrow(
    expect.objectContaining({ code: 'state-untrusted', hint: expect.stringContaining('AGENTMUX_STATE_DIR') }),
  );
});
