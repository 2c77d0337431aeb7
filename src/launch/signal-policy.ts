import type { HandledSignal } from '../platform/starter.ts';

/** What agentmux-run does with a signal of its own, decided without looking at anything. */
export type SignalAction =
  /** The terminal gave it to the agent as well: the agent decides, we wait. */
  | 'wait'
  /** Send it on to the agent. */
  | 'forward'
  /** Send it on and end the tree. */
  | 'end'
  /** The kernel told the agent when its terminal went: help an agent that lives on, then end the tree. */
  | 'hang-up'
  /** Clean-up is under way and somebody wants it over: KILL now. */
  | 'force'
  /** Clean-up is under way already. */
  | 'ignore';

/** The moment at which a signal comes. */
export interface SignalSituation {
  /** True from the end of the agent, or of its time, until we leave. */
  readonly isEnding: boolean;
  /** Our process group is the terminal's foreground group and the agent is in it (tcgetpgrp(3)). */
  readonly isForeground: boolean;
  /** We had a controlling terminal at the start; after a hang-up the kernel tells of none any more. */
  readonly hadTerminal: boolean;
  /** TERM, HUP and the end of the time end the tree; not with an explicit `--leftovers keep` or `--terminal`. */
  readonly endsTree: boolean;
}

/** The signal policy of the wrapper. */
export function decideSignal(signal: HandledSignal, situation: SignalSituation): SignalAction {
  const isTyped = signal === 'SIGINT' || signal === 'SIGQUIT' || signal === 'SIGBREAK';
  if (situation.isEnding) return isTyped ? 'force' : 'ignore';
  switch (signal) {
    case 'SIGINT':
    case 'SIGQUIT':
    case 'SIGBREAK':
      return situation.isForeground ? 'wait' : 'forward';
    case 'SIGTERM':
      return situation.endsTree ? 'end' : 'forward';
    case 'SIGHUP':
      if (!situation.hadTerminal && !situation.endsTree) return 'forward';
      return 'hang-up';
    case 'SIGUSR1':
    case 'SIGUSR2':
      return 'forward';
  }
}
