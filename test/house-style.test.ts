import { readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { itIf } from './helpers/skip.ts';
import { listTrackedFiles, readSources } from './helpers/sources.ts';

const maxLines = 300;
const sources = readSources('src');
const tests = readSources('test');
const tracked = listTrackedFiles();

describe('house style', () => {
  it(`no source file is longer than ${maxLines} lines`, () => {
    expect(sources.filter(({ text }) => text.split('\n').length - 1 > maxLines).map(({ path }) => path)).toEqual([]);
  });

  it('the median source file is shorter than 100 lines', () => {
    const lengths = sources.map(({ text }) => text.split('\n').length).sort((a, b) => a - b);
    expect(lengths[lengths.length >> 1]).toBeLessThan(100);
  });

  it('no work is left to be done in a comment', () => {
    const words = new RegExp(['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].map((word) => `\\b${word}\\b`).join('|'));
    expect([...sources, ...tests].filter(({ text }) => words.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('no test mocks a module', () => {
    const mock = new RegExp(`\\b${'vi'}\\.(mock|doMock|hoisted)\\(`);
    expect(tests.filter(({ text }) => mock.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('every test file stands where its source does', () => {
    const places = new Set(sources.map(({ path }) => dirname(path).replace(/^src/, 'test')));
    const own = /^test(\/(e2e|macos|real-agents|systemd|torture|windows|helpers|fixtures|bench|build|scripts)\b.*)?$/;
    const stray = tests.filter(
      ({ path }) => path.endsWith('.test.ts') && !own.test(dirname(path)) && !places.has(dirname(path)),
    );
    expect(stray.map(({ path }) => path)).toEqual([]);
  });

  itIf(
    tracked.length > 0,
    'not a git checkout',
    'no tracked file names a path of the machine that it was written on',
    () => {
      const ordinary = ['/', '/home', '/mnt', '/opt', '/srv', '/tmp', '/usr', '/var', '/var/tmp', tmpdir()];
      const parents = [dirname(resolve('.')), homedir()].filter((path) => !ordinary.includes(path));
      // Where a path begins: `/proc/1/root/` names no home.
      const names = parents.map((path) => new RegExp(`(?<![\\w$})\\]./-])${path}/`));
      const named = tracked.filter((path) => {
        const text = readText(path);
        return names.some((name) => name.test(text));
      });
      expect(named).toEqual([]);
    },
  );

  itIf(tracked.length > 0, 'not a git checkout', 'the top level holds what it should and nothing else', () => {
    const entries = new Set(tracked.map((path) => path.split('/')[0]));
    expect([...entries].sort()).toEqual(
      [
        ...[
          '.ci',
          '.gitattributes',
          '.github',
          '.gitignore',
          'ARCHITECTURE.md',
          'CHANGELOG.md',
          'CONTRIBUTING.md',
          'LICENSE',
          'README.md',
        ],
        ...[
          'bench',
          'bin',
          'biome.json',
          'man',
          'package-lock.json',
          'package.json',
          'schema',
          'scripts',
          'src',
          'test',
        ],
        ...['tsconfig.json', 'vitest.config.mts'],
      ].sort(),
    );
  });

  it('file names are in lower case with hyphens', () => {
    const name = /^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.ts$/;
    expect([...sources, ...tests].map(({ path }) => path).filter((path) => !name.test(basename(path)))).toEqual([]);
  });
});

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // removed and not yet committed
  }
}
