import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, onTestFinished } from 'vitest';
import type { TrackerRecord } from '../../src/model/block.ts';
import type { ReasonAdvice } from '../../src/trackers/reasons.ts';
import type { ProbeOptions } from '../fixtures/probe-tracker.ts';
import { endTree } from '../helpers/processes.ts';

/** What test/fixtures/probe-tracker.ts says. */
export interface ProbeReport {
  readonly plans: readonly TrackerRecord[];
  readonly record: TrackerRecord;
  /** The agent's group by its own first look. */
  readonly agentGroup: string | undefined;
  /** True if the wrapper was in its own group again after the start. */
  readonly isBack: boolean;
  readonly members: number;
  readonly left: number;
  readonly isRemoved: boolean;
  /** What hides processes from us, whatever the tracker. */
  readonly notes: readonly string[];
  readonly advice: readonly ReasonAdvice[];
}

export interface ProbeRun extends Partial<ProbeOptions> {
  /** Put before the command: a namespace, another user. */
  readonly prefix?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Called between planning and doing. */
  readonly between?: (plans: readonly TrackerRecord[]) => void;
}

let bundle: string | undefined;

/** Chooses and uses a tracker in a process of its own, where and as whom `prefix` says. */
export async function probe(run: ProbeRun = {}): Promise<ProbeReport> {
  const { prefix = [], env = {}, between, ...options } = run;
  const request: ProbeOptions = { tag: randomBytes(16).toString('hex'), ...options, wait: between !== undefined };
  const [command = '', ...args] = [...prefix, process.execPath, buildProbe(), JSON.stringify(request)];
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => endTree(child.pid ?? 0));
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  let told = '';
  let isReleased = false;
  for await (const chunk of child.stdout) {
    told += chunk;
    if (isReleased || !told.includes('\n')) continue;
    isReleased = true;
    between?.(JSON.parse(told.slice(0, told.indexOf('\n'))).plans);
    if (between) child.stdin.write('go\n');
  }
  const lines = told.trim().split('\n');
  if (lines.length !== 2) throw new Error(`the probe said: ${told}${errors}`);
  return Object.assign({}, ...lines.map((line) => JSON.parse(line)));
}

function buildProbe(): string {
  if (bundle !== undefined) return bundle;
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-probe-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  chmodSync(directory, 0o755);
  bundle = join(directory, 'probe.cjs');
  buildSync({
    entryPoints: ['test/fixtures/probe-tracker.ts'],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['ffi-rs'],
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
    logLevel: 'error',
  });
  return bundle;
}
