// npm run man: writes the manual pages from the commands themselves.
// npm run man -- --check: fails if a committed page differs from what would be written, or if mandoc finds fault.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNodeContext } from '../src/node-context.ts';
import { createProgram } from '../src/program.ts';
import { renderPages } from './man/pages.ts';

const directory = 'man';
const pages = renderPages(await createProgram(createNodeContext()));
const old = readdirSync(directory, { withFileTypes: true })
  .filter((entry) => entry.name.endsWith('.1'))
  .map((entry) => entry.name);

if (process.argv.includes('--check')) check();
else write();

function write(): void {
  mkdirSync(directory, { recursive: true });
  for (const name of old) if (!pages.has(name)) rmSync(join(directory, name));
  for (const [name, text] of pages) writeFileSync(join(directory, name), text);
  console.error(`man: wrote ${pages.size} pages`);
}

function check(): void {
  const stale = [...pages].filter(
    ([name, text]) => !old.includes(name) || readFileSync(join(directory, name), 'utf8') !== text,
  );
  const orphans = old.filter((name) => !pages.has(name));
  for (const [name] of stale) console.error(`man: ${name} is stale: npm run man`);
  for (const name of orphans) console.error(`man: ${name} belongs to no command: npm run man`);
  if (stale.length + orphans.length > 0 || !lint()) process.exitCode = 1;
}

function lint(): boolean {
  const files = [...pages.keys()].map((name) => join(directory, name));
  const { error, status, stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', ...files], {
    encoding: 'utf8',
  });
  if (error !== undefined) {
    console.error(`man: not linted: mandoc cannot be run (${(error as NodeJS.ErrnoException).code})`);
    return true;
  }
  if (status !== 0) console.error(stdout);
  return status === 0;
}
