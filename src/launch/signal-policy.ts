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

export type HandledSignal = (typeof handledSignals)[number];

/** TSTP, CONT and WINCH are left to job control: they are not on the list, so that their default action stays. */
export const handledSignals = ['SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'] as const;

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
  if (situation.isEnding) return signal === 'SIGINT' || signal === 'SIGQUIT' ? 'force' : 'ignore';
  switch (signal) {
    case 'SIGINT':
    case 'SIGQUIT':
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
