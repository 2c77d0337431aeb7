import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createRig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { itIf } from '../helpers/skip.ts';

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

it('the package holds the bins, their bundles, the manual, the schemas and the texts, and nothing else', () => {
  const [packed] = pack('--dry-run');
  const expected = [
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'],
    ...list('bin', /^(agentmux(-run)?|load|user-cache)\.js$|^agentmux-bashwrap$/),
    ...[
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/agentmux-ps.cjs',
      'dist/agentmux-run.cjs',
      'dist/agentmux.cjs',
      'dist/list-processes.cjs',
    ],
    ...list('man', /^agentmux(-[a-z-]+)?\.1$/),
    ...list('schema', /^[a-z-]+\.schema\.json$/),
  ];
  expect(packed?.files.map(({ path }) => path).sort()).toEqual(expected.sort());
});

it('every bundled package has its licence in the package', async () => {
  const text = await createRig()
    .command('cat', join(process.cwd(), 'dist/THIRD-PARTY-LICENSES.txt'))
    .stdout(anything)
    .run();
  for (const name of ['commander', 'chalk', 'cli-table3', 'string-width', 'pidtree', 'ps-tree']) {
    expect(text.stdout).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, 'm'));
  }
});

it('bins in a checkout that was not built say so in one line', async () => {
  const directory = makeDirectory();
  cpSync('bin', join(directory, 'bin'), { recursive: true });
  for (const [name, status] of [
    ['agentmux', 1],
    ['agentmux-run', 125],
  ] as const) {
    await createRig()
      .command(process.execPath, join(directory, 'bin', `${name}.js`), 'ps')
      .status(status)
      .stderr(
        new RegExp(`^${name}: .*/dist/${name}(-ps)?\\.cjs cannot be read: in a checkout "npm run build" makes it\n$`),
      )
      .run();
  }
});

it('an installed package has working bins, with install scripts ignored', async ({ skip }) => {
  const directory = makeDirectory();
  const [packed] = pack('--pack-destination', directory);
  const reason = install(directory, 'install', '--ignore-scripts', join(directory, packed?.filename ?? ''));
  skip(reason !== undefined, reason);
  await expectWorkingBins(join(directory, 'node_modules/.bin'));
});

itIf(existsSync('.git'), 'not a git checkout', 'npm ci in a clean clone leaves working bins', async ({ skip }) => {
  const directory = join(makeDirectory(), 'clone');
  execFileSync('git', ['clone', '-q', '--no-hardlinks', process.cwd(), directory], { stdio: 'ignore' });
  const reason = install(directory, 'ci');
  skip(reason !== undefined, reason);
  const rig = createRig();
  const { version } = JSON.parse(execFileSync('cat', ['package.json'], { encoding: 'utf8' }));
  await rig.command(join(directory, 'bin/agentmux.js'), '--version').stdout(`${version}\n`).run();
  await rig.command(join(directory, 'bin/agentmux-run.js'), '--', 'sh', '-c', 'exit 7').status(7).run();
});

async function expectWorkingBins(directory: string): Promise<void> {
  const rig = createRig();
  await rig
    .command(join(directory, 'agentmux'), '--version')
    .stdout(/^\d+\.\d+\.\d+\n$/)
    .run();
  await rig
    .command(join(directory, 'agentmux-run'), '--', 'sh', '-c', 'echo out; exit 7')
    .stdout('out\n')
    .status(7)
    .run();
  await rig
    .command(join(directory, 'agentmux'), 'doctor')
    .stdout(/tracker/)
    .run();
}

function pack(...options: string[]): Packed[] {
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts', ...options], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(output) as Packed[];
}

/** Runs npm in a directory, from its cache where it can; returns why that is impossible here, if the registry is away. */
function install(directory: string, ...command: string[]): string | undefined {
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=0', '--fetch-timeout=30000'];
  const { status, stderr } = spawnSync('npm', [...command, ...options], { cwd: directory, encoding: 'utf8' });
  if (status === 0) return undefined;
  const unreachable = /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTCACHED|EACCES.*_cacache/.exec(
    stderr,
  )?.[0];
  if (unreachable === undefined) throw new Error(`npm ${command.join(' ')}: ${stderr}`);
  process.stderr.write(`skipped: npm ${command[0]}: no registry (${unreachable})\n`);
  return `no registry (${unreachable})`;
}

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-package-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function list(directory: string, pattern: RegExp): string[] {
  return readdirSync(directory)
    .filter((name) => pattern.test(name))
    .map((name) => `${directory}/${name}`);
}
