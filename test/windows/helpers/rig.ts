import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { BlockRecord } from '../../../src/model/block.ts';
import { CliCall } from '../../helpers/cli-call.ts';
import type { CliResult, RunningCli } from '../../helpers/running-cli.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { type AgentSession, capMs, createAgent } from './agent.ts';
import { descendants, endProcess, isAlive, startedAt } from './look.ts';

/** Paths of the built bins. */
export const bins = { agentmux: resolve('bin/agentmux.js'), agentmuxRun: resolve('bin/agentmux-run.js') } as const;

/** A throw-away home of agentmux on Windows: its own state directory and working directory. */
export interface Rig {
  readonly stateDirectory: string;
  readonly workDirectory: string;
  readonly env: Readonly<Record<string, string>>;
  /** A call of `agentmux`; nothing runs before `.run()` or `.start()`. */
  agentmux(...args: string[]): CliCall;
  /** A call of `agentmux-run`. */
  run(...args: string[]): CliCall;
}

/** What a program needs of Windows itself. */
const systemNames = ['PATH', 'PATHEXT', 'SYSTEMROOT', 'SYSTEMDRIVE', 'COMSPEC', 'WINDIR', 'TEMP', 'TMP', 'USERNAME'];
const ownNames = ['USERPROFILE', 'LOCALAPPDATA', 'APPDATA'];

/** Makes a rig; when the test has finished, what its blocks still hold is ended and its files are removed. */
export function createRig({ tracker, home }: { readonly tracker?: string; readonly home?: boolean } = {}): Rig {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-test-'));
  const workDirectory = join(directory, 'work');
  mkdirSync(workDirectory);
  const stateDirectory = home ? join(directory, 'agentmux') : join(directory, 'state');
  const env: Record<string, string> = home ? { LOCALAPPDATA: directory } : { AGENTMUX_STATE_DIR: stateDirectory };
  for (const [name, value] of Object.entries(process.env)) {
    const isWanted = systemNames.includes(name.toUpperCase()) || (ownNames.includes(name.toUpperCase()) && !home);
    if (isWanted && value !== undefined) env[name] ??= value;
  }
  if (tracker !== undefined) env['AGENTMUX_TRACKER'] = tracker;
  const call = (...argv: string[]) => new CliCall([process.execPath, ...argv], { env, cwd: workDirectory });
  onTestFinished(async () => {
    await waitFor('the processes of the blocks to end', () => endRecorded(join(stateDirectory, 'blocks')), capMs);
    await waitFor('the files of the rig to be let go', () => isRemoved(directory), capMs);
  });
  return {
    stateDirectory,
    workDirectory,
    env,
    agentmux: (...args) => call(bins.agentmux, ...args),
    run: (...args) => call(bins.agentmuxRun, ...args),
  };
}

/** A block whose agent waits for orders. */
export interface LiveBlock {
  readonly id: string;
  readonly agent: AgentSession;
  readonly agentPid: number;
  readonly wrapper: RunningCli;
}

/** Starts the agent in a block of this name; options of agentmux-run come after it. */
export async function startBlock(rig: Rig, id: string, ...options: string[]): Promise<LiveBlock> {
  const agent = await createAgent();
  const wrapper = rig.run('--block', id, ...options, '--', ...agent.argv).start();
  onTestFinished(() => {
    for (const { pid } of descendants(wrapper.pid)) endProcess(pid);
  });
  const session = await Promise.race([agent.connected(), failAtExit(wrapper)]);
  const { pid } = await session.inspect();
  await waitFor('the run to be recorded', () => readRecord(rig, id)?.state === 'running', capMs);
  return { id, agent: session, agentPid: pid, wrapper };
}

/** The block's file, if it is there. */
export function readRecord(rig: Rig, id: string): BlockRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(rig.stateDirectory, 'blocks', `${id}.json`), 'utf8')) as BlockRecord;
  } catch {
    return undefined;
  }
}

/** Runs a call to its end, whatever it says. */
export async function outcome(call: CliCall): Promise<CliResult> {
  return call.start().ended(capMs);
}

async function failAtExit(wrapper: RunningCli): Promise<never> {
  const { status, stdout, stderr } = await wrapper.ended(2 * capMs);
  throw new Error(`agentmux-run ended with ${status} before its agent was there\n${stdout}${stderr}`);
}

/** True when none of the processes that the files name lives any more, nor any below them. */
function endRecorded(directory: string): boolean {
  const recorded = listNames(directory).flatMap((name) => {
    const text = readFileSync(join(directory, name), 'utf8');
    return [...text.matchAll(/"pid":\s*(\d+),\s*"startTicks":\s*(\d+)/g)].map(([, pid, ticks]) => ({
      pid: Number(pid),
      startedUs: Number(ticks),
    }));
  });
  // A test that launches in its own process is its wrapper.
  const others = recorded.filter(({ pid }) => pid !== process.pid);
  const live = others.filter(({ pid, startedUs }) => microseconds(startedAt(pid)) === startedUs);
  for (const { pid } of live) {
    for (const child of descendants(pid)) if (isAlive(child.pid)) endProcess(child.pid);
    endProcess(pid);
  }
  return live.length === 0;
}

/** FILETIME to microseconds since 1970. */
function microseconds(time: bigint | undefined): number | undefined {
  return time === undefined ? undefined : Number((time - 116_444_736_000_000_000n) / 10n);
}

/** A directory in which a process was stays for a moment after its end. */
function isRemoved(directory: string): boolean {
  try {
    rmSync(directory, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
