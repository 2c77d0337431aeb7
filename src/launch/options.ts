import { LaunchError, RunExitCode } from '../errors.ts';
import { type LeftoversPolicy, leftoversPolicies, type TrackerType, trackerTypes } from '../model/block.ts';
import { type Priority, priorities } from '../model/priority.ts';
import { type Config, emptyConfig } from '../state/config.ts';
import { parseDuration } from './duration.ts';

/** What a run was asked for, checked; nothing of the system has been looked at. */
export interface RunOptions {
  /** `--block`, as typed; its rule is checked where blocks are named. */
  readonly block: string | undefined;
  readonly leftovers: LeftoversPolicy;
  /** True if the policy was named by the user: an explicit `keep` holds for TERM, HUP and `--timeout` too. */
  readonly leftoversGiven: boolean;
  readonly failOnLeak: boolean;
  /** Undefined: no limit. */
  readonly timeoutMs: number | undefined;
  /** From the first signal to KILL; undefined: the default of the kill transaction. */
  readonly graceMs: number | undefined;
  readonly nohup: boolean;
  readonly passFds: readonly number[];
  readonly terminal: boolean;
  readonly tracker: TrackerChoice;
  /** Trackers that will do; undefined: any. */
  readonly require: TrackerType | undefined;
  /** Undefined: as this process has it. */
  readonly priority: Priority | undefined;
  /** True unless `--no-labels`: give the agent what tells which tool call started a process. */
  readonly labels: boolean;
  /** Patterns of what is never ended with its block. */
  readonly keep: readonly string[];
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

export type TrackerChoice = 'auto' | TrackerType;

/** Options as commander leaves them: text, and switches. */
export interface RawRunOptions {
  readonly block?: string;
  readonly leftovers?: string;
  readonly failOnLeak?: boolean;
  readonly timeout?: string;
  readonly grace?: string;
  readonly nohup?: boolean;
  readonly passFd?: readonly string[];
  readonly terminal?: boolean;
  readonly tracker?: string;
  readonly require?: string;
  readonly priority?: string;
  /** Commander's form of `--no-labels`: true unless it was given. */
  readonly labels?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

export const trackerChoices: readonly TrackerChoice[] = ['auto', ...trackerTypes];
export const requirable: readonly TrackerType[] = ['cgroup', 'job'];

/**
 * Checks the options. Flags win over `AGENTMUX_LEFTOVERS`, `AGENTMUX_GRACE` and `AGENTMUX_TRACKER`, and these over the
 * configuration. Throws LaunchError 125.
 */
export function parseRunOptions(
  raw: RawRunOptions,
  env: Readonly<Record<string, string | undefined>>,
  config: Config = emptyConfig,
): RunOptions {
  const leftovers =
    choose(raw.leftovers, '--leftovers', env['AGENTMUX_LEFTOVERS'], 'AGENTMUX_LEFTOVERS', leftoversPolicies) ??
    config.leftovers;
  const tracker = choose(raw.tracker, '--tracker', env['AGENTMUX_TRACKER'], 'AGENTMUX_TRACKER', trackerChoices);
  const require = choose(raw.require, '--require', undefined, '', requirable);
  const timeoutMs = duration(raw.timeout, '--timeout');
  return {
    block: raw.block,
    leftovers: leftovers ?? 'report',
    leftoversGiven: leftovers !== undefined,
    failOnLeak: raw.failOnLeak === true,
    // As timeout(1): 0 is no limit.
    timeoutMs: timeoutMs === 0 ? undefined : timeoutMs,
    graceMs: duration(raw.grace, '--grace') ?? duration(env['AGENTMUX_GRACE'] || config.grace, 'AGENTMUX_GRACE'),
    nohup: raw.nohup === true,
    passFds: (raw.passFd ?? []).map(passedFd),
    terminal: raw.terminal === true,
    tracker: tracker ?? config.tracker ?? 'auto',
    require,
    priority: choose(raw.priority, '--priority', undefined, '', priorities),
    labels: raw.labels !== false && config.labels !== false,
    keep: config.keep,
    dryRun: raw.dryRun === true,
    json: raw.json === true,
    quiet: raw.quiet === true,
    verbose: raw.verbose === true,
  };
}

function choose<T extends string>(
  flag: string | undefined,
  flagName: string,
  variable: string | undefined,
  variableName: string,
  choices: readonly T[],
): T | undefined {
  const value = flag ?? (variable === '' ? undefined : variable);
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const name = flag === undefined ? variableName : flagName;
  throw usage(`${name} is one of ${choices.join(', ')}, not "${value}"`);
}

function duration(text: string | undefined, flagName: string): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw usage(`${flagName} takes a time like 10, 1.5s, 2m or 500ms, not "${text}"`);
}

function passedFd(text: string): number {
  const fd = Number(text);
  if (/^\d{1,7}$/.test(text) && fd >= 3) return fd;
  throw usage(`--pass-fd takes the number of an open descriptor from 3 on, not "${text}"`);
}

function usage(message: string): LaunchError {
  return new LaunchError(RunExitCode.failed, message, { hint: 'agentmux-run --help' });
}
