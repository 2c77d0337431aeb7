import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is run to learn which functions a start compiles: the hot paths, as few words as reach all of them. */
const warmUps = [
  ['agentmux-run', '--quiet', '--', 'true'],
  ['agentmux', 'ps', '--json'],
  ['agentmux-ps', 'ps', '--json'],
];

/**
 * Makes the code caches of the bundles, for the Node that builds. A cache is an optimisation: where none can be made
 * (a Node without procfs, say) a note is printed and starts are slower.
 * @param {string} root the checkout
 */
export function makeCodeCaches(root) {
  const dist = join(root, 'dist');
  for (const name of readdirSync(dist)) if (name.endsWith('.cache')) rmSync(join(dist, name), { force: true });
  const stateDirectory = mkdtempSync(join(tmpdir(), 'agentmux-build-'));
  const env = { ...process.env, AGENTMUX_STATE_DIR: stateDirectory };
  for (const name of Object.keys(env)) if (/^AGENTMUX_(?!STATE_DIR$)/.test(name)) delete env[name];
  for (const [name, ...args] of warmUps) {
    const recorder = [process.execPath, join(root, 'scripts/build/record-cache.cjs'), name, ...args];
    // Inside a block with something that it started, so that there is something to list.
    const [command, ...rest] = name !== 'agentmux-run' ? [...runInBlock(root), ...recorder] : recorder;
    const { status, stderr } = spawnSync(command, rest, { env, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
    if (status !== 0) process.stderr.write(`no code cache for ${name}: ${stderr.trim().split('\n')[0]}\n`);
  }
  rmSync(stateDirectory, { recursive: true, force: true });
}

function runInBlock(root) {
  const script = 'sleep 60 & "$@"; status=$?; kill $!; exit $status';
  return [process.execPath, join(root, 'bin/agentmux-run.js'), '--quiet', '--', 'sh', '-c', script, 'sh'];
}
