#!/usr/bin/env node
// Bundles one CommonJS file a bin into dist/, and one for `ps` alone: a start then reads one file, and dynamic imports
// become lazy initialisers.
// Beside each lies a code cache for this Node: it makes a start cheaper than leaving half of the bundle out did, since
// nothing of it is compiled again (bin/load.js). Names are kept, for readable stacks.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { lightenBuiltins } from './build/builtins.mjs';
import { makeCodeCaches } from './build/code-cache.mjs';
import { commanderWithoutChildProcess } from './build/plugins.mjs';
import { replaceFile } from './build/replace-file.mjs';
import { renderLicenses } from './build/third-party-licenses.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/**
 * Bundle to the module that exports its `main(argv): Promise<number>`: of each bin, and of the command that is asked most.
 * And a program that is run by itself.
 */
const entryPoints = {
  agentmux: 'src/main.ts',
  'agentmux-ps': 'src/ps-main.ts',
  'agentmux-run': 'src/run-main.ts',
  'list-processes': 'src/platform/ps/list-processes.ts',
};

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints,
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // bin/load.js reads it as such.
  charset: 'ascii',
  // A native module: loaded at run time from node_modules, and optional there.
  external: ['ffi-rs'],
  // `import('x')` becomes a lazy require: the ESM loader would cost a start several ms.
  supported: { 'dynamic-import': false },
  // import.meta has no meaning in CommonJS; createRequire takes a path as well.
  define: { AGENTMUX_VERSION: JSON.stringify(version), 'import.meta.url': '__filename' },
  plugins: [commanderWithoutChildProcess],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'warning',
});

for (const { path, text: bundled } of outputFiles) {
  const lightened = lightenBuiltins(bundled);
  // As bin/load.js takes it: putting the function around it at each start would copy the whole text.
  const text = basename(path).startsWith('agentmux')
    ? `(function (exports, require, module, __filename, __dirname) {${lightened}\n})\n`
    : lightened;
  const fingerprint = createHash('sha256').update(text).digest('hex').slice(0, 16);
  replaceFile(path, `${text}//# build=${fingerprint}\n`);
}
replaceFile(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), renderLicenses(root, Object.keys(metafile.inputs)));
makeCodeCaches(root);

if (!process.argv.includes('--quiet')) {
  for (const { path } of outputFiles) {
    const name = path.slice(root.length);
    process.stderr.write(`${name.padEnd(24)} ${(statSync(path).size / 1024).toFixed(0)} KiB\n`);
  }
}
