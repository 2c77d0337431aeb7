import { LaunchError, RunExitCode } from '../../errors.ts';
import type { StartRequest } from '../starter.ts';
import { buildBatchCommand } from './batch-command.ts';
import { programFiles } from './program-files.ts';
import { quoteCommand } from './quote-arguments.ts';
import { findVariable } from './variables.ts';

/** What CreateProcessW is asked for. */
export interface WindowsCommand {
  /** Path of the program. */
  readonly file: string;
  /** As the program parses it, its name included. */
  readonly line: string;
}

/** The command line of the agent. Throws LaunchError 126 for one that is too long or cannot be passed to a batch file. */
export function buildWindowsCommand(request: Pick<StartRequest, 'program' | 'argv' | 'handover'>): WindowsCommand {
  const { program, argv } = request;
  const file = program.file.toString();
  const [name = '', ...words] = argv.map(String);
  const args = [...program.before, ...words];
  if (program.kind === 'batch') {
    const line = buildBatchCommand({ file, args, text: programFiles.readText(file) ?? '' });
    if (line.length > mostBatchUnits) throw tooLong(name, mostBatchUnits, 'cmd.exe');
    const systemRoot = findVariable(request.handover.environment, 'SystemRoot') ?? 'C:\\Windows';
    return { file: `${systemRoot}\\System32\\cmd.exe`, line };
  }
  // What it was called as, as on every system, unless it is not what was called.
  const line = quoteCommand(program.before.length === 0 ? name : file, args);
  if (line.length > mostUnits) throw tooLong(name, mostUnits, 'Windows');
  return { file, line };
}

/** CreateProcessW takes 32,767 characters with the NUL at the end; cmd.exe reads a line of 8,191. */
const mostUnits = 32_766;
const mostBatchUnits = 8191;

function tooLong(name: string, most: number, who: string): LaunchError {
  const detail = `"${name}" cannot be started: its arguments are longer than the ${most} characters that ${who} takes`;
  return new LaunchError(RunExitCode.notExecutable, detail, { code: 'arguments-too-long' });
}
