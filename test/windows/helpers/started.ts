import { onTestFinished } from 'vitest';
import { createProcess } from '../../../src/platform/windows/create-process.ts';
import { win32 } from '../../../src/platform/windows/ffi-call.ts';
import { createJob, readJobAccounting, terminateJob } from '../../../src/platform/windows/job-calls.ts';
import { closeHandle } from '../../../src/platform/windows/process-calls.ts';
import { waitForEnd } from '../../../src/platform/windows/process-end.ts';
import { quoteCommand } from '../../../src/platform/windows/quote-arguments.ts';
import type { Rig } from './rig.ts';

/** A program in a job of its own, whose accounting tells of every process that it starts, however short-lived. */
export interface CountedProgram {
  readonly ended: Promise<{ readonly exitCode: number | undefined; readonly started: number }>;
}

/**
 * Starts a program in the rig's environment without a console, its output to a file; `started` counts it too, and the
 * `cmd.exe` that opens the file.
 */
export function startCounted(rig: Rig, [file = '', ...args]: readonly string[]): CountedProgram {
  const { handle: job } = createJob(win32, undefined);
  const { handle } = createProcess(win32, {
    applicationName: undefined,
    commandLine: `cmd.exe /d /s /c "${quoteCommand(file, args)} > output 2>&1"`,
    env: rig.env,
    cwd: rig.workDirectory,
    handles: { stdin: 0, stdout: 0, stderr: 0 },
    job,
    noWindow: true,
  });
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    terminateJob(win32, job, 1);
    for (const one of [handle, job]) closeHandle(win32, one);
  };
  onTestFinished(close);
  const ended = waitForEnd(win32, handle).ended.then((exitCode) => {
    const { totalProcesses } = readJobAccounting(win32, job);
    close();
    return { exitCode, started: totalProcesses };
  });
  return { ended };
}
