import { escapeUntrusted } from '../render/untrusted.ts';
import type { LaunchWorld } from './world.ts';

/**
 * Our voice: one line on stderr a call, with our name before it, so that it is told from the agent's. A line break in
 * the text is somebody else's and is shown escaped.
 */
export interface Reporter {
  /** What must be said: failures, survivors. */
  say(text: string): void;
  /** What is good to know; silent with `--quiet`. */
  note(text: string): void;
  /** What was asked for with `--verbose`. */
  detail(text: string): void;
  readonly isQuiet: boolean;
  /** True if somebody waits in front of a terminal, or asked for every step. */
  readonly tellsProgress: boolean;
}

export function createReporter(
  stderr: LaunchWorld['stderr'],
  options: { readonly quiet: boolean; readonly verbose: boolean },
): Reporter {
  const say = (text: string): void => {
    try {
      stderr.write(`${prefix}${escapeUntrusted(text)}\n`);
    } catch {
      // A full disk behind stderr must not end the wrapper of a running agent.
    }
  };
  return {
    say,
    note: (text) => {
      if (!options.quiet) say(text);
    },
    detail: (text) => {
      if (options.verbose) say(text);
    },
    isQuiet: options.quiet,
    get tellsProgress() {
      return options.verbose || (!options.quiet && stderr.isTTY);
    },
  };
}

export const prefix = 'agentmux-run: ';
