import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { CliCall } from './cli-call.ts';
import { endBlocks } from './end-blocks.ts';
import { type Reader, suiteReader, variablesFor } from './reader.ts';

/** Paths of the built bins, as a user starts them. */
export const bins = {
  agentmux: resolve('bin/agentmux.js'),
  agentmuxRun: resolve('bin/agentmux-run.js'),
} as const;

export interface RigOptions {
  /** Sets AGENTMUX_TRACKER for every call. */
  readonly tracker?: string;
  /** How every call reads processes; that of the suite if left out. */
  readonly reader?: Reader;
  /** Runs every call as this user (needs root). */
  readonly uid?: number;
  /** Put before every command, e.g. the prefix of a namespace. */
  readonly prefix?: readonly string[];
}

/** A throw-away home of agentmux: its own state directory, home and working directory. */
export interface Rig {
  readonly directory: string;
  readonly stateDirectory: string;
  readonly workDirectory: string;
  /** The environment of every call; nothing of the test's own but PATH. */
  readonly env: Readonly<Record<string, string>>;
  /** A call of `agentmux`; nothing runs before `.run()` or `.start()`. */
  agentmux(...args: string[]): CliCall;
  /** A call of `agentmux-run`. */
  run(...args: string[]): CliCall;
  /** Any other command, in the same environment. */
  command(command: string, ...args: string[]): CliCall;
}

/** Makes a rig; when the test has finished, every process of its blocks is ended and its files are removed. */
export function createRig(options: RigOptions = {}): Rig {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-test-'));
  const [stateDirectory, home, workDirectory] = ['state', 'home', 'work'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [stateDirectory, home, workDirectory]) makeDirectory(path, options.uid);
  chmodSync(directory, 0o755);
  const nonce = randomBytes(8).toString('hex');
  const env = {
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    AGENTMUX_STATE_DIR: stateDirectory,
    AGENTMUX_TEST_RIG: nonce,
    ...variablesFor(options.reader ?? suiteReader),
    ...(options.tracker !== undefined && { AGENTMUX_TRACKER: options.tracker }),
  };
  const prefix = [...(options.prefix ?? []), ...userPrefix(options.uid)];
  const call = (argv: readonly string[]) => new CliCall([...prefix, ...argv], { env, cwd: workDirectory });

  onTestFinished(async () => {
    await endBlocks(stateDirectory, `AGENTMUX_TEST_RIG=${nonce}`);
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    directory,
    stateDirectory,
    workDirectory,
    env,
    agentmux: (...args) => call([process.execPath, bins.agentmux, ...args]),
    run: (...args) => call([process.execPath, bins.agentmuxRun, ...args]),
    command: (command, ...args) => call([command, ...args]),
  };
}

function makeDirectory(path: string, uid: number | undefined): void {
  mkdirSync(path, { mode: 0o700 });
  if (uid !== undefined) chownSync(path, uid, uid);
}

function userPrefix(uid: number | undefined): string[] {
  if (uid === undefined) return [];
  return ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--'];
}
