import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

/** An installed package: bundles without the caches that a build leaves beside them. */
function install(): { readonly cache: string; run(...argv: string[]): string; files(): string[] } {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-cache-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  cpSync('bin', join(directory, 'bin'), { recursive: true });
  cpSync('dist', join(directory, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.cache') });
  const xdg = join(directory, 'xdg');
  mkdirSync(xdg);
  const cache = join(xdg, 'agentmux');
  return {
    cache,
    run(...[name = '', ...args]) {
      const { AGENTMUX_BLOCKID: _id, AGENTMUX_TAG: _tag, ...inherited } = process.env;
      const env = { ...inherited, XDG_CACHE_HOME: xdg, AGENTMUX_STATE_DIR: join(directory, 'state') };
      const file = join(directory, 'bin', `${name}.js`);
      return spawnSync(process.execPath, [file, ...args], { env, encoding: 'utf8' }).stdout;
    },
    files() {
      try {
        return readdirSync(cache).sort();
      } catch {
        return [];
      }
    },
  };
}

const readDocument = (text: string) => JSON.parse(text).schemaVersion;

it('keeps what a command compiled, for its user alone, and uses it from then on', () => {
  const { cache, run, files } = install();
  expect(readDocument(run('agentmux', 'ps', '--json'))).toBe(1);
  run('agentmux-run', 'true');
  expect(files()).toEqual([
    expect.stringMatching(/^agentmux-ps\..*\.ps\.cache$/),
    expect.stringMatching(/^agentmux-run\..*\.run\.cache$/),
  ]);
  const modes = [cache, ...files().map((name) => join(cache, name))].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600, 0o600]);
  const written = files().map((name) => statSync(join(cache, name)).mtimeMs);
  expect(readDocument(run('agentmux', 'ps', '--json'))).toBe(1);
  expect(files().map((name) => statSync(join(cache, name)).mtimeMs)).toEqual(written);
});

it.each(['--version', 'no-such-command', '../../x'])('keeps nothing of %s', (word) => {
  const { run, files } = install();
  run('agentmux', word);
  expect(files()).toEqual([]);
});

it('heals a cache that is torn', () => {
  const { cache, run, files } = install();
  run('agentmux', 'ps', '--json');
  const file = join(cache, files()[0] ?? '');
  const whole = statSync(file).size;
  for (const size of [0, 100, Math.floor(whole / 2)]) {
    truncateSync(file, size);
    expect(readDocument(run('agentmux', 'ps', '--json'))).toBe(1);
    expect(statSync(file).size).toBeGreaterThan(whole / 2);
  }
});

it('uses and writes nothing where others may write', () => {
  const { cache, run, files } = install();
  run('agentmux', 'ps', '--json');
  const file = join(cache, files()[0] ?? '');
  for (const [path, mode, safe] of [
    [cache, 0o770, 0o700],
    [file, 0o620, 0o600],
  ] as const) {
    writeFileSync(file, 'code of another');
    chmodSync(path, mode);
    expect(readDocument(run('agentmux', 'ps', '--json'))).toBe(1);
    chmodSync(path, safe);
  }
});

it('keeps nothing where Node is told to keep nothing', () => {
  const { run, files } = install();
  process.env['NODE_DISABLE_COMPILE_CACHE'] = '1';
  onTestFinished(() => {
    delete process.env['NODE_DISABLE_COMPILE_CACHE'];
  });
  run('agentmux', 'ps', '--json');
  expect(files()).toEqual([]);
});
