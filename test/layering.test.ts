import { describe, expect, it } from 'vitest';
import { parseSource, readSources, type SourceFile } from './helpers/sources.ts';

/** Folders and top-level files of src, lowest first. A module may import from its own row and from those above it. */
const layers: readonly (readonly string[])[] = [
  ['errors.ts', 'version.ts', 'model'],
  ['filter', 'agents', 'render', 'annotate'],
  ['platform', 'state'],
  ['trackers', 'calls'],
  ['kill'],
  ['launch', 'sessions', 'watch'],
  [
    'commands',
    'context.ts',
    'node-output.ts',
    'node-context.ts',
    'root-command.ts',
    'program.ts',
    'outcome.ts',
    'main.ts',
    'ps-main.ts',
    'run-main.ts',
  ],
];

/** Types of the world that lower layers are handed: an import of these alone does not pull a layer in. */
const pureFolders = ['model', 'filter', 'agents', 'annotate'];

const sources = readSources('src');
const ours = new Set(sources.map((source) => source.path));

describe('layering', () => {
  it('every module belongs to a layer', () => {
    expect(sources.map((source) => source.path).filter((path) => layerOf(path) === -1)).toEqual([]);
  });

  it('imports go down only', () => {
    const upward = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ isOurs, target }) => isOurs && layerOf(target) > layerOf(path))
        .map(({ target }) => `${path} imports ${target}`),
    );
    expect(upward).toEqual([]);
  });

  it('every import of ours names a file that is there', () => {
    const missing = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ isOurs, target }) => isOurs && !ours.has(target))
        .map(({ target }) => `${path} imports ${target}`),
    );
    expect(missing).toEqual([]);
  });

  it('no module and no folder imports itself round a circle', () => {
    const modules = new Map(
      sources.map(({ path, imports }) => [path, imports.filter((i) => i.isOurs).map((i) => i.target)]),
    );
    expect(findCycle(modules)).toBeUndefined();
    const folders = new Map<string, string[]>();
    for (const [path, targets] of modules) {
      const outside = targets.map(partOf).filter((part) => part !== partOf(path));
      folders.set(partOf(path), [...(folders.get(partOf(path)) ?? []), ...outside]);
    }
    expect(findCycle(folders)).toBeUndefined();
  });

  it.each(pureFolders)('%s is pure: neither asynchronous nor an importer of Node or packages', (folder) => {
    const impure = sources
      .filter(({ path }) => partOf(path) === folder)
      .filter(({ code, imports }) => /\b(async|await)\b/.test(code) || imports.some(({ isOurs }) => !isOurs));
    expect(impure.map(({ path }) => path)).toEqual([]);
  });

  it('render touches no Node module', () => {
    expect(importersOf(/^node:/).filter((path) => partOf(path) === 'render')).toEqual([]);
  });

  it('no file only hands on the exports of others', () => {
    expect(offenders(/^export\s(type\s)?(\*|\{[^}]*\})[^;']*\sfrom\s/m)).toEqual([]);
  });
});

describe('one place for each thing', () => {
  it.each([
    ['ffi-rs', /^ffi-rs$/, /^src\/platform\//],
    ['chalk and cli-table3', /^(chalk|cli-table3)$/, /^src\/render\//],
    ['string-width', /^string-width$/, /^src\/render\//],
    [
      'commander',
      /^commander$/,
      /^src\/(commands\/|launch\/options\.ts|(root-command|program|outcome|main|run-main)\.ts)/,
    ],
    ['child_process', /^(node:)?child_process$/, /^src\/(launch|platform)\//],
  ])('%s is imported in its own place only', (_, name, place) => {
    expect(importersOf(name).filter((path) => !place.test(path))).toEqual([]);
  });

  it('what is heavy is loaded where it is used', () => {
    const heavy = /^(ffi-rs|chalk|cli-table3|string-width|execa|node:readline\/promises)$/;
    const eager = sources.filter(({ imports }) => imports.some(({ target, isLazy }) => !isLazy && heavy.test(target)));
    expect(eager.map(({ path }) => path)).toEqual([]);
  });

  it('the platform is asked for in platform, in the selection of trackers and in the context only', () => {
    const place = /^src\/(platform\/|trackers\/select\.ts|node-context\.ts)/;
    expect(
      offenders(/process\.platform|\bos\.platform\(|['"]win32['"]\s*===/).filter((path) => !place.test(path)),
    ).toEqual([]);
  });

  it('the environment is read in the context and by the start of agentmux-run only', () => {
    const place = /^src\/(node-context|run-main)\.ts$/;
    expect(offenders(/process\.env\b/).filter((path) => !place.test(path))).toEqual([]);
  });

  it('nothing is printed and no process is ended behind the back of main', () => {
    expect(offenders(/\bconsole\.|\bprocess\.exit\(|\bprocess\.(stdout|stderr)\.write\(/)).toEqual([]);
  });
});

describe('the checks themselves', () => {
  it('find every form of import', () => {
    const text = [
      "import a from './a.ts';",
      "import type { B } from '../model/b.ts';",
      "import {\n  c,\n  type D,\n} from './c.ts';",
      "import 'node:fs';",
      "export * from './e.ts';",
      "const f = await import('f');",
      "// import g from './g.ts';",
    ].join('\n');
    expect(parseSource('src/x/y.ts', text).imports.map(({ target }) => target)).toEqual([
      'src/x/a.ts',
      'src/model/b.ts',
      'src/x/c.ts',
      'node:fs',
      'src/x/e.ts',
      'f',
    ]);
  });

  it('find a circle', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['b']],
    ]);
    expect(findCycle(graph)).toEqual(['b', 'c', 'b']);
  });
});

function partOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function layerOf(path: string): number {
  return layers.findIndex((parts) => parts.includes(partOf(path)));
}

function importersOf(name: RegExp): string[] {
  return sources.filter(({ imports }) => imports.some(({ target }) => name.test(target))).map(({ path }) => path);
}

function offenders(pattern: RegExp): string[] {
  return sources.filter(({ code }: SourceFile) => pattern.test(code)).map(({ path }) => path);
}

function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (node: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...trail, node]);
      if (cycle !== undefined) return cycle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const cycle = visit(node, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
