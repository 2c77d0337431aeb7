import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

/** Where a command runs in the bed; see bed.sh. */
export type Setting = 'desktop' | 'ssh' | 'service' | 'su' | 'root';

const script = resolve('test/systemd/bed.sh');
// Not below a home: what runs in the container is not root and must be able to get there.
const directory = process.env['AGENTMUX_TEST_BED'] ?? '/var/tmp/agentmux-systemd-bed';

/** Builds the bed if needed, and boots it; the checkout is /agentmux in it. Returns why not, if that is impossible. */
export function bringUpBed({ linger = true } = {}): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  if (spawnSync('sh', ['-c', 'command -v apt-get']).status !== 0) return 'needs Debian';
  const { status, stderr } = run(['up', directory, resolve('.')], { LINGER: linger ? '1' : '0' });
  return status === 0 ? undefined : `the bed did not come up: ${stderr.slice(-300)}`;
}

/** Powers it off; its files stay for the next time. */
export function powerOffBed(): void {
  run(['down', directory]);
}

export interface BedResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a shell script in the bed, with the bins of the checkout first in its path. */
export function runInBed(setting: Setting, text: string): BedResult {
  const functions = [
    'agentmux() { node /agentmux/bin/agentmux.js "$@"; }',
    'agentmux_run() { node /agentmux/bin/agentmux-run.js "$@"; }',
  ];
  return run(['exec', directory, setting, 'bash', '-c', [...functions, text].join('\n')]);
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): BedResult {
  return spawnSync('bash', [script, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 900_000,
  });
}
