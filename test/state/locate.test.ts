import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { locateStateDirectory } from '../../src/state/locate.ts';

let scratch = '';
const uid = process.geteuid?.() ?? 0;

beforeEach(() => {
  scratch = mkdtempSync(path.join(tmpdir(), 'amx-locate-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

describe('where the state files are', () => {
  it('is below the home, made or not', () => {
    expect(locate({ HOME: scratch })).toEqual({ directory: usual(), note: undefined });
    mkdirSync(usual(), { recursive: true, mode: 0o700 });
    expect(locate({ HOME: scratch })).toEqual({ directory: usual(), note: undefined });
  });

  it.each([
    ['the home is missing', () => ({ HOME: path.join(scratch, 'gone') })],
    ['the directory can be written to by others', writableByOthers],
    ['a file is in its place', fileInTheWay],
    ['no home is known', () => ({})],
  ])('is one of our own below the temporary directory, and says so, when %s', (_, prepare) => {
    const place = locate(prepare());
    expect(place.directory).toBe(path.join(scratch, 'tmp', `agentmux-${uid}`));
    expect(place.note).toContain(`state is kept in "${place.directory}"`);
  });

  it('is what AGENTMUX_STATE_DIR names, whatever is there', () => {
    const named = path.join(scratch, 'a', 'b', 'c', 'd', 'e');
    expect(locate({ AGENTMUX_STATE_DIR: named, HOME: scratch })).toEqual({ directory: named, note: undefined });
  });

  it('is still the usual one when records may be in it that cannot be changed', () => {
    mkdirSync(usual(), { recursive: true, mode: 0o700 });
    chmodSync(usual(), 0o500);
    expect(locate({ HOME: scratch }).directory).toBe(usual());
  });
});

function locate(env: Record<string, string>) {
  return locateStateDirectory({
    env,
    os: 'linux',
    homedir: () => undefined,
    uid,
    temporary: path.join(scratch, 'tmp'),
  });
}

function usual(): string {
  return path.join(scratch, '.local', 'state', 'agentmux');
}

function writableByOthers(): Record<string, string> {
  mkdirSync(usual(), { recursive: true });
  chmodSync(usual(), 0o777);
  return { HOME: scratch };
}

function fileInTheWay(): Record<string, string> {
  mkdirSync(path.join(scratch, '.local', 'state'), { recursive: true });
  symlinkSync('/dev/null', usual());
  return { HOME: scratch };
}
