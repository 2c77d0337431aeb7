import { type ChildProcess, spawn } from 'node:child_process';
import { LaunchError, RunExitCode } from '../../errors.ts';
import type { Platform } from '../platform.ts';
import type { Agent, AgentStatus, StartRequest } from '../starter.ts';
import type { AgentCommand } from './agent-command.ts';
import { toStdio } from './handover.ts';

/**
 * Starts the agent inside the tracker's enclosure, in our process group and with our own terminal and descriptors.
 * Rejects with LaunchError 126 or 127 if the system does not start it.
 */
export async function startAgent(
  command: AgentCommand,
  fds: readonly number[],
  tracker: Pick<StartRequest, 'spawnInside'>,
  platform: Platform,
  own: Set<number>,
): Promise<Agent> {
  const child = tracker.spawnInside(() => spawnChild(command, fds));
  if (child.pid === undefined) throw await spawnFailure(child, command);
  own.add(child.pid);
  return watchAgent(child, child.pid, platform);
}

function spawnChild(command: AgentCommand, fds: readonly number[]): ChildProcess {
  try {
    return spawn(command.file, command.args, {
      argv0: command.argv0,
      env: command.env,
      stdio: toStdio(fds),
      detached: false,
    });
  } catch (error) {
    throw toLaunchError(error, command);
  }
}

/** Node tells some failures of a spawn by an event in the next turn. */
function spawnFailure(child: ChildProcess, command: AgentCommand): Promise<LaunchError> {
  return new Promise((resolve) => child.once('error', (error) => resolve(toLaunchError(error, command))));
}

function toLaunchError(error: unknown, command: AgentCommand): LaunchError {
  const { code } = error as NodeJS.ErrnoException;
  const exitCode = code === 'ENOENT' ? RunExitCode.notFound : RunExitCode.notExecutable;
  const name = command.argv0 ?? command.file;
  return new LaunchError(exitCode, `"${name}" cannot be started: ${reasonOf(code)}`, { cause: error });
}

function reasonOf(code: string | undefined): string {
  if (code === 'E2BIG') return 'its arguments and environment, or one of them, are too long for this system';
  if (code === 'EAGAIN') return 'the limit of processes is reached';
  return code ?? 'the system refused';
}

function watchAgent(child: ChildProcess, pid: number, platform: Platform): Agent {
  // Not Platform.identify: an agent that has ended already is a zombie that still has its pid and start.
  const stat = platform.readStat(pid);
  const { bootId, pidNamespace } = platform.host();
  let identity = { pid, startTicks: stat?.startTicks ?? 0, bootId, pidNamespace };
  let status: AgentStatus | undefined;
  let pgid = stat?.pgid;
  const exited = new Promise<AgentStatus>((resolve) => {
    child.once('exit', (code, signal) => {
      status = signal === null ? { type: 'code', code: code ?? 0 } : { type: 'signal', signal };
      resolve(status);
    });
  });
  return {
    get identity() {
      // As long as Node has not taken its status the pid is its own.
      if (identity.startTicks === 0 && status === undefined) {
        identity = { ...identity, startTicks: platform.readStat(pid)?.startTicks ?? 0 };
      }
      return identity;
    },
    exited,
    get status() {
      return status;
    },
    get pgid() {
      if (status === undefined) pgid = platform.readStat(pid)?.pgid ?? pgid;
      return pgid;
    },
    signal(signal) {
      // The pid is a child's whose status Node has not taken yet: it cannot be another process.
      if (status !== undefined) return true;
      try {
        return child.kill(signal);
      } catch {
        return false;
      }
    },
    release: () => child.unref(),
  };
}
