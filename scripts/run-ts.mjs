#!/usr/bin/env node
// run-ts.mjs FILE.ts [ARG…]: runs a TypeScript file of the checkout with this Node (20 cannot by itself).
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const [file] = process.argv.splice(2, 1);
if (file === undefined) throw new Error('usage: run-ts.mjs FILE.ts [ARG…]');

// Below node_modules, so that packages resolve.
const directory = join(root, 'node_modules/.cache/agentmux');
mkdirSync(directory, { recursive: true });
const outfile = join(directory, `${basename(file, '.ts')}.mjs`);
await build({
  absWorkingDir: root,
  entryPoints: [file],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  logLevel: 'warning',
});
process.chdir(root);
await import(pathToFileURL(outfile).href);
