import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { AgentmuxError } from '../../errors.ts';
import { parseSignal } from '../../kill/parse-signal.ts';
import { DEFAULT_GRACE_MS } from '../../kill/transaction.ts';
import { parseDuration } from '../../launch/duration.ts';
import type { Platform } from '../../platform/platform.ts';
import { type ConfigContext, loadConfig } from './config.ts';

/** How hard and how patiently: as settled from `-s`, `-9` and `--grace`. */
export interface KillForce {
  readonly signal: NodeJS.Signals;
  /** Until KILL, ms; undefined: the signal is sent once, nothing is forced. */
  readonly graceMs: number | undefined;
}

/** What the force of a kill depends on. */
export type ForceContext = ConfigContext & { readonly platform: Pick<Platform, 'endsByForce'> };

/** The flags about what is printed, as commander leaves them. */
export interface RawReportOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** Adds the flags about what `kill` and `kill-tree` print. */
export function addReportOptions(command: Command): Command {
  return command
    .option('-n, --dry-run', 'print what would be ended, signal nothing')
    .option('--json', 'print one JSON document')
    .option('--verbose', 'say who is waited for, also off a terminal');
}

/** Reads a span of time. Throws a usage error that names the option. */
export function parseSpan(text: string, option: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new AgentmuxError('usage', `"${text}" is no time for ${option}`, {
    code: 'bad-duration',
    hint: `write it as ${option} 2, 1.5s, 500ms or 2m`,
  });
}

/** The grace of a kill, ms: by the flag, else AGENTMUX_GRACE, else the configuration. Throws a usage error. */
export function parseGrace(text: string | undefined, context: ConfigContext): number {
  if (text !== undefined) return parseSpan(text, '--grace');
  const variable = context.env['AGENTMUX_GRACE'];
  if (variable) return parseSpan(variable, 'AGENTMUX_GRACE');
  return parseDuration(loadConfig(context).grace ?? '') ?? DEFAULT_GRACE_MS;
}

/**
 * Settles what is sent. TERM asks, and KILL follows when the grace is over. Another signal may mean anything to its
 * receiver (HUP: read your configuration again), so that it is only sent, unless a grace says what comes after it. Where
 * there are no signals it is always KILL at once.
 */
export function settleForce(
  raw: {
    readonly signal?: string;
    readonly kill?: boolean;
    readonly grace?: string;
  },
  context: ForceContext,
): KillForce {
  if (raw.signal !== undefined && raw.kill === true) throw new AgentmuxError('usage', '-s and -9 exclude each other');
  const signal = raw.kill === true ? 'SIGKILL' : parseSignal(raw.signal ?? 'TERM');
  if (signal === 'SIGKILL') {
    if (raw.grace === undefined) return { signal, graceMs: 0 };
    throw new AgentmuxError('usage', 'KILL leaves no time: it and --grace exclude each other');
  }
  const graceMs = signal === 'SIGTERM' || raw.grace !== undefined ? parseGrace(raw.grace, context) : undefined;
  if (context.platform.endsByForce !== true) return { signal, graceMs };
  // TERM is what everybody means by the end of a process; here it is KILL, and the plan says so.
  if (signal === 'SIGTERM') return { signal: 'SIGKILL', graceMs: 0 };
  throw new AgentmuxError('usage', `"${raw.signal}" cannot be sent on this system: it knows no signals`, {
    code: 'no-signals',
    hint: 'without -s what is named is ended at once',
  });
}

/** Says that nothing will be asked to end, where the system has no way to. */
export function sayIfByForce({ platform, stderr }: Pick<Context, 'platform' | 'stderr'>, isForceAsked: boolean): void {
  if (platform.endsByForce !== true || isForceAsked) return;
  stderr.write('this system has no signal that asks a process to end: it is ended at once\n');
}
