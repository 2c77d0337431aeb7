import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasInterop, isEnabled, isWslRelease } from '../../../src/platform/linux/wsl.ts';

const ENTRY = 'enabled\ninterpreter /init\nflags: PF\noffset 0\nmagic 4d5a\n';

describe('hasInterop', () => {
  it.each([
    ['5.15.167.4-microsoft-standard-WSL2', 'WSLInterop', ENTRY, true],
    ['4.4.0-19041-Microsoft', 'WSLInterop', ENTRY, true],
    ['6.6.87.2-microsoft-standard-WSL2', 'WSLInterop-late', ENTRY, true],
    ['5.15.167.4-microsoft-standard-WSL2', 'WSLInterop', ENTRY.replace('enabled', 'disabled'), false],
    ['5.15.167.4-microsoft-standard-WSL2', 'python3.11', ENTRY, false],
    ['6.1.0-18-amd64', 'WSLInterop', ENTRY, false],
  ])('on %s with %s', (release, name, entry, expected) => {
    const procRoot = mkdtempSync(join(tmpdir(), 'agentmux-wsl-'));
    onTestFinished(() => rmSync(procRoot, { recursive: true, force: true }));
    for (const [path, text] of [
      ['sys/kernel/osrelease', `${release}\n`],
      [`sys/fs/binfmt_misc/${name}`, entry],
    ] as const) {
      mkdirSync(dirname(join(procRoot, path)), { recursive: true });
      writeFileSync(join(procRoot, path), text);
    }
    expect(hasInterop(procRoot)).toBe(expected);
  });

  it('is false where there is no procfs', () => {
    expect(hasInterop('/nowhere')).toBe(false);
  });
});

it('wine is no interop, and names tell nothing in part', () => {
  expect(isEnabled('enabled\ninterpreter /usr/bin/wine\n')).toBe(false);
  expect(isWslRelease('')).toBe(false);
});
