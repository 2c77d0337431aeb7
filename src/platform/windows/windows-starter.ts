import { LaunchError, RunExitCode } from '../../errors.ts';
import { resetModes } from '../reset-terminal.ts';
import type { Handover, HandoverRequest, ProgramStarter } from '../starter.ts';
import {
  type ConsoleMode,
  hasConsole,
  readConsoleModes,
  readStandardHandles,
  restoreConsoleModes,
  takesSequences,
} from './console-calls.ts';
import { type Win32, win32 } from './ffi-call.ts';
import { findWindowsProgram } from './find-program.ts';
import { programFiles } from './program-files.ts';
import { startWindowsAgent } from './start-agent.ts';
import { findVariable } from './variables.ts';

/** Starts programs of Windows by its own calls: Node knows no job objects, and ends with itself what it started. */
export const windowsStarter = createWindowsStarter(win32);

/**
 * What Windows has of a run. There are no signals: what is typed on the console (Ctrl-C, Ctrl-Break) reaches all that
 * share it, so the agent has it as well as we; nothing else can be told to it, and ending it is always by force. An agent
 * in a console process group of its own could be sent Ctrl-Break, but would lose Ctrl-C, so it is in ours.
 */
export function createWindowsStarter(native: Win32): ProgramStarter {
  // As we found it, since an agent that is ended by force leaves it as it was.
  const modes = attempt(() => readConsoleModes(native, readStandardHandles(native))) ?? [];
  return {
    // SIGHUP is the close of the console window; Windows ends all that is left some 5 s later.
    signals: ['SIGINT', 'SIGBREAK', 'SIGHUP', 'SIGTERM'],
    canSignal: false,
    labelsObstacle: 'on Windows the agent takes no shell of ours for its tool calls',
    readHandover,
    findProgram(handover) {
      const found = findWindowsProgram({
        name: handover.argv[0]?.toString() ?? '',
        env: (name) => findVariable(handover.environment, name),
        cwd: process.cwd(),
        files: programFiles,
      });
      return { ...found, file: Buffer.from(found.file) };
    },
    start: (request) => startWindowsAgent(request, native),
    keepOrphans: () => ({
      isSubreaper: false,
      own: new Set(),
      adopt: () => undefined,
      start: () => undefined,
      stop: () => undefined,
    }),
    followStops: () => () => undefined,
    sharesInterrupt: () => attempt(() => hasConsole(native)) ?? true,
    canRaise: () => false,
    leave(leaving, { status, isForced }) {
      // A program that ended by itself left the console as it wants it; a crash is no end by itself.
      const isCut = isForced || (status?.type === 'code' && status.code >= firstFailureStatus);
      if (isCut) attempt(() => repairConsole(native, modes));
      return leaving.code;
    },
    findStreamHolders: () => [],
  };
}

/** What a full-screen agent leaves on is written off before the console takes such sequences no more. */
function repairConsole(native: Win32, modes: readonly ConsoleMode[]): void {
  if (takesSequences(native, readStandardHandles(native))) resetModes();
  restoreConsoleModes(native, modes);
}

/** Statuses from here on are errors of the system: access violation, Ctrl-C (ntstatus.h). */
const firstFailureStatus = 0xc0000000;

function readHandover({ operands, passFds, nohup, env }: HandoverRequest): Handover {
  if (nohup) throw noSuchOption('--nohup', 'there is no SIGHUP to ignore: closing the console ends what uses it');
  if (passFds.length > 0) throw noSuchOption('--pass-fd', 'a program gets its standard streams and no other handles');
  return {
    argv: operands.map((word) => Buffer.from(word)),
    environment: Object.entries(env).map(([name, value]) => Buffer.from(`${name}=${value ?? ''}`)),
    fds: [],
    openFiles: undefined,
  };
}

function noSuchOption(option: string, why: string): LaunchError {
  return new LaunchError(RunExitCode.failed, `${option} means nothing on Windows: ${why}`, {
    code: 'unsupported-option',
    hint: 'agentmux-run --help',
  });
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    // Only a courtesy to the console.
    return undefined;
  }
}
