import { type ChildProcess, spawn } from 'node:child_process';
import { LaunchError, RunExitCode } from '../../errors.ts';
import type { Agent, AgentStatus, StartRequest } from '../starter.ts';
import type { WindowsCommand } from './windows-command.ts';

/** Starts the agent without native code: in no job, and libuv's own job ends the agent with us. */
export async function startByNode(command: WindowsCommand, request: StartRequest): Promise<Agent> {
  const environment = request.handover.environment.map((entry) => {
    const text = entry.toString();
    const equals = text.indexOf('=', 1);
    return [text.slice(0, equals), text.slice(equals + 1)] as const;
  });
  const child = request.spawnInside(() =>
    spawn(command.file, [command.line.slice(endOfName(command.line))], {
      argv0: command.line.slice(0, endOfName(command.line)),
      env: { ...Object.fromEntries(environment), ...request.program.env, ...request.added },
      stdio: 'inherit',
      windowsVerbatimArguments: true,
    }),
  );
  const { pid } = child;
  if (pid === undefined) throw await spawnFailure(child, command.file);
  request.own.add(pid);
  const { bootId, pidNamespace } = request.platform.host();
  const startTicks = request.platform.readStat(pid)?.startTicks ?? 0;
  let status: AgentStatus | undefined;
  const exited = new Promise<AgentStatus>((resolve) => {
    child.once('exit', (code) => {
      // Where a signal is told it was our own end of it.
      status = { type: 'code', code: code ?? killed };
      resolve(status);
    });
  });
  return {
    identity: { pid, startTicks, bootId, pidNamespace },
    exited,
    get status() {
      return status;
    },
    pgid: undefined,
    signal: (signal) => status !== undefined || (signal === 'SIGKILL' && child.kill('SIGKILL')),
    release: () => child.unref(),
  };
}

/** Exit code of what we end by force: what a shell elsewhere shows for KILL. */
const killed = 137;

/** The name is quoted, or it is cmd.exe's. */
function endOfName(line: string): number {
  return line.startsWith('"') ? line.indexOf('"', 1) + 1 : line.indexOf(' ');
}

function spawnFailure(child: ChildProcess, file: string): Promise<LaunchError> {
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const exitCode = error.code === 'ENOENT' ? RunExitCode.notFound : RunExitCode.notExecutable;
      resolve(new LaunchError(exitCode, `"${file}" cannot be started: ${error.code ?? 'the system refused'}`));
    });
  });
}
