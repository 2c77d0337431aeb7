import { AgentmuxError, ExitCode } from '../../errors.ts';
import type { configKeys } from '../../state/config.ts';

/** A line of a command's help: what to type, and what it does. */
export type Example = readonly [command: string, does: string];

/** The examples of a command, for `addHelpText('after', …)`. */
export function examplesHelp(examples: readonly Example[]): string {
  const width = Math.max(...examples.map(([command]) => command.length));
  return ['', 'Examples:', ...examples.map(([command, does]) => `  ${command.padEnd(width)}  ${does}`)].join('\n');
}

/** The exit codes of `agentmux`, for its help; with a name those that this command can end with. */
export function exitCodesHelp(command?: string): string {
  const more = command === undefined ? undefined : (MORE_CODES[command] ?? [ExitCode.notFound, ExitCode.refused]);
  const isOwn = (code: number) => code <= ExitCode.usage || more === undefined || more.includes(code);
  const rows = EXIT_CODES.filter(([code]) => isOwn(code));
  return ['', 'Exit codes:', ...rows.map(([code, means]) => `  ${String(code).padStart(3)}  ${means}`)].join('\n');
}

/** Codes beside 0, 1 and 2, of commands that do more or less than to look for a block. */
const MORE_CODES: Readonly<Record<string, readonly number[]>> = {
  kill: [ExitCode.notFound, ExitCode.survived, ExitCode.refused],
  'kill-tree': [ExitCode.notFound, ExitCode.survived, ExitCode.refused],
  priority: [ExitCode.notFound, ExitCode.survived, ExitCode.refused],
  wait: [ExitCode.notFound, ExitCode.refused, ExitCode.timedOut],
  doctor: [ExitCode.refused],
  prune: [ExitCode.refused],
  hook: [],
  init: [],
  completion: [],
};

/** What every exit code of `agentmux` means. */
const EXIT_CODES: readonly (readonly [code: number, means: string])[] = [
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
