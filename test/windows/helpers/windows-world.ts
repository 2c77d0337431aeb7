import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { Identity } from '../../../src/model/identity.ts';
import { createProcess } from '../../../src/platform/windows/create-process.ts';
import { win32 } from '../../../src/platform/windows/ffi-call.ts';
import { closeHandle } from '../../../src/platform/windows/process-calls.ts';
import { quoteCommand } from '../../../src/platform/windows/quote-arguments.ts';
import { createWindowsPlatform } from '../../../src/platform/windows/windows-platform.ts';
import { planTrackers } from '../../../src/trackers/select.ts';
import type { Tracker } from '../../../src/trackers/tracker.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import type { AgentKind, ContractWorld } from '../../trackers/contract.ts';
import { type AgentSession, capMs, createAgent, sleeper } from './agent.ts';
import { descendants, endProcess, isAlive, priorityClass, suspend } from './look.ts';

export const platform = createWindowsPlatform();

/** A tracker with an agent in it that waits for orders; ended and removed when the test has finished. */
export interface TrackedAgent {
  readonly tracker: Tracker;
  readonly root: Identity;
  readonly session: AgentSession;
}

/** Starts the agent inside a tracker of that kind before its first instruction. */
export async function track(type: 'job' | 'scan'): Promise<TrackedAgent> {
  const tag = randomBytes(16).toString('hex');
  const wrapper = identify(process.pid);
  const plans = planTrackers({ platform, env: {}, forced: type, kind: 'agent', blockId: 'contract', tag, wrapper });
  const plan = plans.find(({ record }) => record.type === type);
  if (!plan) throw new Error(`no ${type} here: ${JSON.stringify(plans.map(({ record }) => record))}`);
  const tracker = await plan.create();
  const { argv, connected } = await createAgent();
  const [file = '', ...args] = argv;
  const { pid, handle } = tracker.spawnInside((enclosure) =>
    createProcess(win32, {
      applicationName: file,
      commandLine: quoteCommand(file, args),
      env: { ...process.env, AGENTMUX_TAG: tag },
      cwd: undefined,
      handles: undefined,
      job: enclosure?.job,
      inherited: enclosure?.inherited ?? [],
      noWindow: true,
    }),
  );
  const root = identify(pid);
  tracker.assign(root);
  onTestFinished(async () => {
    await tracker.killTree({ deadlineMs: capMs });
    tracker.dispose();
    if (isAlive(pid)) endProcess(pid);
    closeHandle(win32, handle);
  });
  return { tracker, root, session: await connected() };
}

/** The contract suite's world on Windows, where agents are programs of Node. */
export function windowsWorld(type: 'job' | 'scan'): ContractWorld {
  return {
    platform,
    capMs,
    async start(kind) {
      const { tracker, root, session } = await track(type);
      const pids = await starters[kind](session);
      const pidOf = async (name: string) => pids[name] ?? fail(`no "${name}" in ${kind}`);
      return { tracker, root, pidOf };
    },
    isAlive,
    // A child of ours is a member of a scan, as those of a wrapper are.
    stranger: () => identify(process.ppid),
    stands: () => false,
    isBelowNormal: (pid) => priorityClass(pid) === BELOW_NORMAL,
    without: {
      requests: 'Windows has no request to end that reaches every program',
      freezing: 'Windows has no signal that stops',
      zombies: 'on Windows nobody has to be waited for',
    },
  };
}

type Pids = Readonly<Record<string, number>>;

const starters: Readonly<Record<AgentKind, (session: AgentSession) => Promise<Pids>>> = {
  family: async (session) => ({
    child: await session.start(sleeper),
    deep: await startDeep(session, sleeper.join(' ')),
  }),
  orphan: async (session) => {
    const { pid, maker } = await session.startOrphan(sleeper);
    return { maker, orphan: pid };
  },
  stubborn: async (session) => {
    const stopped = await session.start(sleeper);
    suspend(stopped);
    return {
      // No console: no event of one reaches it.
      deaf: await session.start(sleeper, { detached: true }),
      stopped,
      apart: await session.start(sleeper, { detached: true }),
    };
  },
  // Not in libuv's job, which would end them with the agent.
  pair: async (session) => ({
    one: await session.start(sleeper, { detached: true }),
    two: await session.start(sleeper, { detached: true }),
  }),
  busy: async () => ({}),
  zombie: async () => ({}),
  stopped: async () => ({}),
};

async function startDeep(session: AgentSession, command: string): Promise<number> {
  return programOf(await session.startTool(command));
}

/** The program that a `cmd.exe` runs. */
function programOf(shell: number): Promise<number> {
  return waitFor(
    'the program of cmd.exe',
    () => descendants(shell).find(({ name }) => name === 'ping.exe')?.pid,
    capMs,
  );
}

function identify(pid: number): Identity {
  return platform.identify(pid) ?? fail(`process ${pid} cannot be identified`);
}

function fail(message: string): never {
  throw new Error(message);
}

const BELOW_NORMAL = 0x4000;
