import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const runner = join(root, 'test/windows/runner');

/**
 * Bundles test files for a plain Node, each with vitest's own runner: `vitest` is replaced by the parts that it is made
 * of, since its server and workers do not run everywhere that Node does.
 * @param {readonly string[]} files test files, relative to the checkout
 * @param {string} outdir gets `<path with ~ for />.cjs` for each, and main.cjs, which runs them
 * @returns {Promise<readonly string[]>} names of the bundles
 */
export async function bundleTests(files, outdir) {
  const names = files.map((file) => file.replace(/^test\//, '').replaceAll('/', '~'));
  const entries = Object.fromEntries(files.map((file, index) => [names[index], `run:${file}`]));
  await build({
    absWorkingDir: root,
    entryPoints: { ...entries, main: join(runner, 'main.ts') },
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['ffi-rs', 'esbuild'],
    supported: { 'dynamic-import': false },
    define: { AGENTMUX_VERSION: '"0.0.0-test"', 'import.meta.url': '__filename' },
    sourcemap: 'inline',
    keepNames: true,
    plugins: [runnerForVitest],
    logLevel: 'warning',
  });
  return names.map((name) => `${name}.cjs`);
}

/** Hooks and suites from vitest's runner, which is not at the top of node_modules with every package manager. */
const vitestParts = `
  export { afterAll, afterEach, beforeAll, beforeEach, describe, it, onTestFailed, onTestFinished, suite, test } from '@vitest/runner';
  export { expect } from '${join(runner, 'expect.ts')}';
`;

const runnerForVitest = {
  name: 'runner for vitest',
  setup(builder) {
    builder.onResolve({ filter: /^run:/ }, ({ path }) => ({ path: path.slice('run:'.length), namespace: 'run' }));
    builder.onLoad({ filter: /./, namespace: 'run' }, ({ path }) => ({
      contents: `
        import { runFile } from '${join(runner, 'run-file.ts')}';
        void runFile('${path}', () => import('${join(root, path)}'));
      `,
      resolveDir: root,
      loader: 'ts',
    }));
    builder.onResolve({ filter: /^vitest$/ }, () => ({ path: 'vitest', namespace: 'parts' }));
    builder.onLoad({ filter: /./, namespace: 'parts' }, () => ({
      contents: vitestParts,
      resolveDir: root,
      loader: 'ts',
    }));
    const fromVitest = createRequire(createRequire(import.meta.url).resolve('vitest'));
    builder.onResolve({ filter: /^@vitest\// }, ({ path, pluginData }) => {
      if (pluginData === 'again') return undefined;
      return builder.resolve(path, {
        kind: 'import-statement',
        resolveDir: join(fromVitest.resolve('@vitest/runner'), '../..'),
        pluginData: 'again',
      });
    });
  },
};
