import { AgentmuxError, ExitCode } from '../../errors.ts';
import type { configKeys } from '../../state/config.ts';

/** A line of a command's help: what to type, and what it does. */
export type Example = readonly [command: string, does: string];

/** The examples of a command, for `addHelpText('after', …)`. */
export function examplesHelp(examples: readonly Example[]): string {
  const width = Math.max(...examples.map(([command]) => command.length));
  return ['', 'Examples:', ...examples.map(([command, does]) => `  ${command.padEnd(width)}  ${does}`)].join('\n');
}

/** The exit codes of `agentmux`, for the help of every command. */
export function exitCodesHelp(): string {
  return ['', 'Exit codes:', ...EXIT_CODES.map(([code, means]) => `  ${String(code).padStart(3)}  ${means}`)].join(
    '\n',
  );
}

/** What every exit code of `agentmux` means. */
export const EXIT_CODES: readonly (readonly [code: number, means: string])[] = [
  [ExitCode.ok, 'done; also if the process had ended before'],
  [ExitCode.failed, 'failed'],
  [ExitCode.usage, 'wrong usage'],
  [ExitCode.notFound, 'no such block, or never a member of one'],
  [ExitCode.survived, 'something survived, or the system refused'],
  [ExitCode.refused, 'refused as unsafe, ambiguous, or not tracked'],
  [ExitCode.timedOut, 'wait timed out'],
];

/** The configuration file, for the help of the program. */
export function configurationHelp(): string {
  return [
    '',
    'Configuration:',
    ...CONFIGURATION.map((line) => `  ${line}`),
    ...CONFIG_MEANS.map(([key, means]) => `    ${key.padEnd(11)}${means}`),
  ].join('\n');
}

const CONFIGURATION = [
  '$XDG_CONFIG_HOME/agentmux/config.json, else ~/.config/agentmux/config.json (Windows:',
  '%APPDATA%\\agentmux\\config.json), or what AGENTMUX_CONFIG names; JSON with any of these',
  'keys. A flag goes before the environment, and that before the configuration.',
] as const;

const CONFIG_MEANS: readonly (readonly [key: (typeof configKeys)[number], means: string])[] = [
  ['keep', 'list of programs or command lines, * and ? allowed, never ended with their block'],
  ['leftovers', 'default of agentmux-run --leftovers'],
  ['grace', 'default of --grace'],
  ['tracker', 'default of agentmux-run --tracker'],
  ['labels', 'false: as agentmux-run --no-labels'],
];

/** A usage error with the command whose help tells more. */
export function usageError(message: string, command: string): AgentmuxError {
  return new AgentmuxError('usage', message, { hint: `agentmux ${command} --help` });
}
