#!/usr/bin/env node
// test-windows.mjs [--node MAJOR] [--warm] [--minutes N] [-t NAME] [PATTERN…]: runs the tests for Windows inside the real
// node.exe, by Wine. The first time it builds what that needs below ~/.cache (2 GB, some minutes); with --warm it rather
// skips. After N minutes it begins no other file. Files are those of which PATTERN is a part. AGENTMUX_TEST_REPORT=FILE
// gets the numbers, as vitest's JSON report has them.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleTests } from './build/windows-tests.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bedScript = join(root, 'test/windows/bed.sh');
const bed = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'agentmux-tests/windows-bed');
/** Tests of elsewhere that hold on Windows too. */
const sharedTests = ['test/trackers/stub.test.ts'];
/** Longest time of a whole run under one Node. */
const LIMIT_MS = 40 * 60_000;
/** What the runner ends with when a file hung. */
const HUNG = 75;

/** The process group of the program in the bed, while there is one. */
let group;

process.chdir(root);
process.exitCode = await main();

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      node: { type: 'string' },
      warm: { type: 'boolean' },
      minutes: { type: 'string', default: '60' },
      t: { type: 'string', short: 't', default: '' },
    },
  });
  const reason = bringUp(values.warm);
  if (reason !== undefined) {
    console.log(`skipped: test:windows: ${reason}`);
    report([]);
    return 0;
  }
  const all = [...listTests('test/windows'), ...sharedTests];
  const files = all.filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)));
  const runs = join(bed, 'files/app/runs');
  sweep(runs);
  const directory = join(runs, `${process.pid}-${randomBytes(4).toString('hex')}`);
  endWithUs();
  try {
    const bundles = await stage(directory, files);
    const results = [];
    for (const version of chooseNodes(values.node)) {
      const seconds = Math.max(0, Number(values.minutes) * 60 - performance.now() / 1000);
      results.push(...(await runUnder({ version, directory, bundles, pattern: values.t, seconds })));
    }
    return report(results);
  } finally {
    spawnSync('bash', [bedScript, 'stop', bed], { stdio: 'ignore' });
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Returns why there can be no bed, if so. */
function bringUp(onlyWarm) {
  if (process.platform !== 'linux') return `needs Linux and Wine; on Windows itself: npx vitest run --project windows`;
  if (onlyWarm && spawnSync('bash', [bedScript, 'warm', bed]).status !== 0) return `${bed} is not built yet`;
  const { status, stdout } = spawnSync('bash', [bedScript, 'up', bed], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status === 0) return undefined;
  return stdout.trim() || `the bed cannot be built (${status})`;
}

/** What runs left that were killed. */
function sweep(runs) {
  mkdirSync(runs, { recursive: true });
  for (const name of readdirSync(runs)) {
    if (!isAlive(Number.parseInt(name, 10))) rmSync(join(runs, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function endWithUs() {
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ]) {
    process.once(signal, () => {
      if (group !== undefined) process.kill(-group, 'SIGKILL');
      spawnSync('bash', [bedScript, 'stop', bed], { stdio: 'ignore' });
      process.exit(128 + number);
    });
  }
}

function listTests(directory) {
  return readdirSync(directory, { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(directory, name))
    .sort();
}

function chooseNodes(major) {
  const host = readFileSync(join(bed, 'kind'), 'utf8').trim() === 'host' ? wineMajor() : undefined;
  const versions = readdirSync(join(bed, 'files/node')).filter(
    (name) => major === undefined || name.startsWith(`${major}.`),
  );
  return versions.filter((version) => {
    // V8 of Node 24 reserves memory in a way that Wine 8 refuses.
    const runs = host === undefined || host >= 9 || Number.parseInt(version, 10) < 24;
    if (!runs) console.log(`skipped: Node ${version}: Wine ${host} cannot run it`);
    return runs;
  });
}

function wineMajor() {
  return Number(/wine-(\d+)/.exec(spawnSync('wine', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1] ?? 0);
}

/** Puts the built package and the tests where Windows programs see them. */
async function stage(directory, files) {
  mkdirSync(directory, { recursive: true });
  for (const name of ['package.json', 'bin', 'dist', 'schema', 'test/fixtures', 'test/windows']) {
    cpSync(join(root, name), join(directory, name), { recursive: true });
  }
  return bundleTests(files, join(directory, 'bundles'));
}

async function runUnder({ version, directory, bundles, pattern, seconds }) {
  console.log(`== node.exe ${version}`);
  const results = [];
  for (let hangs = 0, left = bundles; left.length > 0; ) {
    const run = await runBundles({ version, directory, bundles: left, pattern, seconds });
    results.push(...run.results);
    if (run.code === 0) break;
    left = left.slice(run.results.length);
    const what = run.code === HUNG ? `${left[0]} hung` : `the runner ended with ${run.code}`;
    // Wine's own servers can hang, so that nothing of the bed goes on; begun anew they go on.
    if (run.code === HUNG && hangs++ === 0) {
      console.log(`${what}: begins anew with it`);
      spawnSync('bash', [bedScript, 'kill', bed], { stdio: 'ignore' });
      continue;
    }
    console.log(what);
    results.push({ name: 'runner', durationMs: 0, message: what, assertionResults: [] });
    break;
  }
  return results.map((result) => ({ ...result, name: `${result.name} (node.exe ${version})` }));
}

/** Runs bundled files, up to one that hangs. */
async function runBundles({ version, directory, bundles, pattern, seconds }) {
  const [resultPath, outputPath] = ['results.json', 'output'].map((name) => join(directory, name));
  rmSync(resultPath, { force: true });
  // node.exe can write to a file, but not to a pipe of Linux.
  const output = openSync(outputPath, 'w+');
  const args = ['node', bed, version, join('bundles', 'main.cjs'), 'results.json', pattern, `${seconds}`];
  const child = spawn('bash', [bedScript, ...args, ...bundles.map((name) => `bundles/${name}`)], {
    stdio: ['ignore', output, output],
    env: { ...process.env, AGENTMUX_BED_DIRECTORY: `app/runs/${basename(directory)}` },
    detached: true,
  });
  group = child.pid;
  const code = await follow(child, output);
  group = undefined;
  closeSync(output);
  return { code, results: readResults(resultPath) };
}

/** Copies the output to ours while it grows; resolves to the exit code. */
function follow(child, fd) {
  const buffer = Buffer.alloc(65_536);
  let position = 0;
  const copy = () => {
    for (;;) {
      const count = readSync(fd, buffer, 0, buffer.length, position);
      if (count === 0) return;
      position += count;
      process.stdout.write(buffer.subarray(0, count).toString('latin1'), 'latin1');
    }
  };
  const timer = setInterval(copy, 100);
  const limit = setTimeout(() => {
    console.log(`not done within ${LIMIT_MS / 60_000} minutes`);
    spawnSync('bash', [bedScript, 'kill', bed]);
  }, LIMIT_MS);
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      clearInterval(timer);
      clearTimeout(limit);
      copy();
      resolve(code);
    });
  });
}

function readResults(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return [];
  }
}

function report(results) {
  const tests = results.flatMap((result) => result.assertionResults);
  const count = (status) => tests.filter((test) => test.status === status).length;
  const broken = results.filter((result) => result.message !== '').length;
  const numbers = {
    numPassedTests: count('passed'),
    numFailedTests: count('failed') + broken,
    numPendingTests: count('skipped'),
  };
  const { AGENTMUX_TEST_REPORT: path } = process.env;
  if (path !== undefined) writeFileSync(path, JSON.stringify({ ...numbers, testResults: results }));
  if (results.length === 0) return 0;
  for (const result of results) {
    const failed = result.assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
    if (result.message !== '') failed.push(result.message.split('\n')[0]);
    for (const name of failed) console.log(`failed: ${result.name}: ${name}`);
  }
  const { numPassedTests, numFailedTests, numPendingTests } = numbers;
  console.log(`\ntest:windows: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
  return numFailedTests === 0 ? 0 : 1;
}
