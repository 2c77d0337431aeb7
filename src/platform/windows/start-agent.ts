import { LaunchError, RunExitCode } from '../../errors.ts';
import type { Platform } from '../platform.ts';
import { type Agent, type AgentStatus, type Enclosure, EnclosureError, type StartRequest } from '../starter.ts';
import { hasConsole, readStandardHandles, withVariables } from './console-calls.ts';
import { type CreatedProcess, createProcess } from './create-process.ts';
import { type Win32, Win32Error } from './ffi-call.ts';
import { closeHandle, terminateProcess } from './process-calls.ts';
import { waitForEnd } from './process-end.ts';
import { readSettledTimes } from './settled-times.ts';
import { buildWindowsCommand, type WindowsCommand } from './windows-command.ts';

/** Starts the agent with our console, our standard streams and our environment, in the job that its tracker names. */
export async function startWindowsAgent(request: StartRequest, win32: Win32): Promise<Agent> {
  const command = buildWindowsCommand(request);
  const create = (enclosure: Enclosure | undefined, flags = 0) =>
    createAgent(command, request, win32, enclosure, flags);
  const created = request.spawnInside((enclosure) => {
    try {
      return create(enclosure);
    } catch (error) {
      if (!(error instanceof Win32Error)) throw error;
      const isOutsidePossible =
        enclosure?.job !== undefined && canStart(() => create(undefined, CREATE_SUSPENDED), win32);
      if (isOutsidePossible) throw new EnclosureError(error.message, { cause: error });
      if (error.call === 'CreateProcessW') throw toLaunchError(command.file, error);
      throw error;
    }
  });
  request.own.add(created.pid);
  try {
    return watchProcess(created, request.platform, win32);
  } catch (error) {
    // Nobody would know of it: neither its end nor who it is could be told.
    endCreated(created, win32);
    if (!(error instanceof Win32Error)) throw error;
    const message = `"${command.file}" was started, but cannot be watched, and was ended again: ${error.message}`;
    throw new LaunchError(RunExitCode.failed, message, { cause: error });
  }
}

/** An error does not tell whether the program or its job was refused: one that is ended before it runs does. */
function canStart(createSuspended: () => CreatedProcess, win32: Win32): boolean {
  try {
    endCreated(createSuspended(), win32);
    return true;
  } catch (error) {
    if (error instanceof Win32Error) return false;
    throw error;
  }
}

function endCreated({ handle }: CreatedProcess, win32: Win32): void {
  terminateProcess(win32, handle, killed);
  closeHandle(win32, handle);
}

function createAgent(
  { file, line }: WindowsCommand,
  { added, program }: StartRequest,
  win32: Win32,
  enclosure: Enclosure | undefined,
  flags: number,
): CreatedProcess {
  return withVariables(win32, { ...program.env, ...added }, () =>
    createProcess(win32, {
      applicationName: file,
      commandLine: line,
      env: undefined,
      cwd: undefined,
      handles: readStandardHandles(win32),
      job: enclosure?.job,
      inherited: enclosure?.inherited,
      noWindow: !hasConsole(win32),
      flags,
    }),
  );
}

/** processthreadsapi.h. */
const CREATE_SUSPENDED = 0x4;

function toLaunchError(file: string, error: Win32Error): LaunchError {
  if (file.length >= MAX_PATH && missing.includes(error.code)) {
    const why = `its path of ${file.length} characters is longer than this system starts programs by`;
    return new LaunchError(RunExitCode.notExecutable, `"${file}" cannot be started: ${why}`, { cause: error });
  }
  const exitCode = missing.includes(error.code) ? RunExitCode.notFound : RunExitCode.notExecutable;
  const reason = reasons.get(error.code) ?? error.message;
  return new LaunchError(exitCode, `"${file}" cannot be started: ${reason}`, { cause: error });
}

/** With the NUL at its end (minwindef.h). */
const MAX_PATH = 260;
/** ERROR_FILE_NOT_FOUND and ERROR_PATH_NOT_FOUND (winerror.h). */
const missing: readonly number[] = [2, 3];

/** winerror.h. */
const reasons: ReadonlyMap<number, string> = new Map([
  [2, 'it is not there any more'],
  [3, 'it is not there any more'],
  [5, 'the system refused'],
  [193, 'it is no program for this Windows'],
  [206, 'its arguments are too long for this system'],
  [216, 'it is for another kind of processor'],
  [740, 'it asks to be run as administrator'],
  [1260, 'a policy of this machine forbids it'],
]);

function watchProcess({ pid, handle }: CreatedProcess, platform: Platform, win32: Win32): Agent {
  const { bootId, pidNamespace } = platform.host();
  const identity = { pid, startTicks: readSettledTimes(win32, handle).startedAt, bootId, pidNamespace };
  const end = waitForEnd(win32, handle);
  let status: AgentStatus | undefined;
  const exited = end.ended.then(
    (code) => {
      if (code !== undefined) status = { type: 'code', code };
      return status ?? never;
    },
    () => never,
  );
  return {
    identity,
    exited,
    get status() {
      return status;
    },
    pgid: undefined,
    // Our handle is that of this very process, whoever has its pid.
    signal: (signal) => status !== undefined || (signal === 'SIGKILL' && terminateProcess(win32, handle, killed) === 0),
    release() {
      end.abandon();
      if (status !== undefined) closeHandle(win32, handle);
    },
  };
}

/** For a wait that was given up. */
const never = new Promise<AgentStatus>(() => undefined);
/** Exit code of what we end by force: what a shell elsewhere shows for KILL. */
const killed = 137;
