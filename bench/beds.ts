import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endBlocks } from '../test/helpers/end-blocks.ts';
import { readTable } from '../test/helpers/procfs.ts';

export const agentmux = [process.execPath, resolve('bin/agentmux.js')] as const;
export const agentmuxRun = [process.execPath, resolve('bin/agentmux-run.js')] as const;
export const bareNode = [process.execPath, '-e', '0'] as const;

const marker = 'AGENTMUX_BENCH=1';

/** A throw-away state directory with what was started in it. */
export interface Bed extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  /** Starts something and waits for its first line; ended with the bed. */
  start(argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<ChildProcess>;
}

export function openBed(): Bed {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-bench-'));
  const env = { AGENTMUX_STATE_DIR: directory, AGENTMUX_BENCH: '1' };
  const children: ChildProcess[] = [];
  return {
    env,
    async start(argv, more = {}) {
      const [command = '', ...args] = argv;
      const child = spawn(command, args, {
        env: { ...process.env, ...env, ...more },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      children.push(child);
      const ended = once(child, 'exit').then(([status]) => {
        throw new Error(`${argv.join(' ')}: ended with ${status} before it was ready`);
      });
      await Promise.race([once(child.stdout, 'data'), ended]);
      ended.catch(() => {});
      return child;
    },
    async [Symbol.asyncDispose]() {
      await endBlocks(directory, marker);
      for (const child of children) child.kill('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Fills the process table up to about `total` processes with sleepers. */
export async function fillTable(bed: Bed, total: number): Promise<void> {
  const missing = total - readTable().length;
  if (missing > 0) await bed.start(crowd(missing));
}

/** A command whose process starts `count` sleepers, says so, and waits. */
export function crowd(count: number): string[] {
  const script = `i=0; while [ $i -lt ${count} ]; do sleep 600 & i=$((i+1)); done; echo ready; wait`;
  return ['sh', '-c', script];
}
