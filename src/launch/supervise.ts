import { setTimeout as delay } from 'node:timers/promises';
import type { KillReport } from '../kill/kill.ts';
import type { Platform } from '../platform/platform.ts';
import type { Agent, AgentStatus, HandledSignal, ProgramStarter } from '../platform/starter.ts';
import { isUnreadable } from './readable.ts';
import type { Reporter } from './reporter.ts';
import { decideSignal } from './signal-policy.ts';
import type { SignalListener } from './signals.ts';

/** Why the tree was ended by us; `none`: the agent ended by itself. */
export type EndCause = 'none' | 'timeout' | 'SIGTERM' | 'SIGHUP';

/** How the agent's time was over. */
export interface RunEnd {
  readonly cause: EndCause;
  /** Undefined if it could not be ended. */
  readonly status: AgentStatus | undefined;
  /** What ending the tree did, if we ended it. */
  readonly killed: KillReport | undefined;
}

export interface Supervision {
  readonly agent: Agent;
  readonly starter: Pick<ProgramStarter, 'canSignal' | 'sharesInterrupt'>;
  readonly signals: SignalListener;
  readonly platform: Platform;
  readonly reporter: Reporter;
  readonly ownPid: number;
  readonly hadTerminal: boolean;
  /** TERM, HUP and the end of the time end the whole tree. */
  readonly endsTree: boolean;
  readonly timeoutMs: number | undefined;
  /** From TERM to KILL for an agent whose tree is to be kept, ms; undefined: as in the kill transaction. */
  readonly graceMs: number | undefined;
  /** Ends the block; `hurry` ends its grace. */
  endTree(): Promise<KillReport>;
  /** Set off by the second signal during clean-up. */
  readonly hurry: AbortController;
}

/** Waits for the agent, keeping the signal policy and the time limit. Signals stay ours to handle afterwards. */
export async function supervise(options: Supervision): Promise<RunEnd> {
  const { agent, signals, hurry } = options;
  let cause: EndCause = 'none';
  let ending: Promise<KillReport | undefined> | undefined;
  const begin = (why: EndCause, how: () => Promise<KillReport | undefined>): void => {
    if (ending !== undefined || agent.status !== undefined) return;
    cause = why;
    ending = how();
    // Its failure is awaited below, after the agent's end.
    ending.catch(() => undefined);
    unblock();
  };
  let unblock = (): void => undefined;
  const hasBegun = new Promise<void>((resolve) => {
    unblock = resolve;
  });

  signals.attach((signal) => {
    switch (decideSignal(signal, situationOf(options, ending !== undefined || agent.status !== undefined))) {
      case 'forward':
        forward(signal, options);
        break;
      case 'end':
        begin('SIGTERM', () => endTree(options));
        break;
      case 'hang-up':
        if (options.endsTree) begin('SIGHUP', () => hangUp(options));
        else void hangUp(options);
        break;
      case 'force':
        hurry.abort();
        break;
    }
  });
  const timer = setTimer(options.timeoutMs, () => {
    options.reporter.note(`the time is up: ending the agent${options.starter.canSignal ? '' : ' at once'}`);
    begin('timeout', () => (options.endsTree ? endTree(options) : endAgent(options)));
  });
  try {
    await Promise.race([agent.exited, hasBegun]);
    const killed = await ending;
    if (ending !== undefined) await Promise.race([agent.exited, delay(lastWaitMs, undefined, { ref: false })]);
    return { cause, status: agent.status, killed };
  } finally {
    clearTimeout(timer);
  }
}

/** For the status of an agent that has just been killed to arrive, ms. */
const lastWaitMs = 1000;

function situationOf(options: Supervision, isEnding: boolean) {
  return {
    isEnding,
    isForeground: options.starter.sharesInterrupt(options.platform, options.ownPid, options.agent),
    hadTerminal: options.hadTerminal,
    endsTree: options.endsTree,
  };
}

function forward(signal: HandledSignal, { agent, starter, reporter }: Supervision): void {
  // A signal of the same name would end it.
  if (!starter.canSignal || signal === 'SIGBREAK') return;
  if (!agent.signal(signal)) reporter.note(`the system refused to pass ${signal} on to pid ${agent.identity.pid}`);
}

/**
 * Where there was a terminal the kernel sent HUP to its foreground group; an agent that lives on after a second was not
 * in it, or goes its own way: it is told once more, then ended like the rest.
 */
async function hangUp(options: Supervision): Promise<KillReport | undefined> {
  const { agent, hadTerminal } = options;
  const pause = (): Promise<unknown> =>
    Promise.race([
      agent.exited,
      delay(hangUpMs, undefined, { signal: options.hurry.signal, ref: false }).catch(() => undefined),
    ]);
  // Windows tells all that share a console of its end, and ends them some seconds later.
  if (hadTerminal || !options.starter.canSignal) await pause();
  if (agent.status !== undefined) return undefined;
  forward('SIGHUP', options);
  if (!options.endsTree) return undefined;
  if (options.starter.canSignal) await pause();
  return agent.status === undefined ? endTree(options) : undefined;
}

const hangUpMs = 1000;

/** Of a tree that cannot be seen the agent is ended at least, which needs no look. */
async function endTree(options: Supervision): Promise<KillReport | undefined> {
  try {
    return await options.endTree();
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    options.reporter.say(`ending the agent alone: ${error.message}`);
    return endAgent(options);
  }
}

/** Ends the agent alone: its tree is to be kept, or is not known. */
async function endAgent({ agent, starter, graceMs, hurry }: Supervision): Promise<undefined> {
  if (!starter.canSignal) {
    agent.signal('SIGKILL');
    return undefined;
  }
  agent.signal('SIGTERM');
  const { DEFAULT_GRACE_MS } = await import('../kill/transaction.ts');
  const grace = delay(graceMs ?? DEFAULT_GRACE_MS, undefined, { signal: hurry.signal, ref: false }).catch(
    () => undefined,
  );
  await Promise.race([agent.exited, grace]);
  agent.signal('SIGKILL');
  return undefined;
}

function setTimer(ms: number | undefined, action: () => void): NodeJS.Timeout | undefined {
  return ms === undefined ? undefined : setTimeout(action, ms);
}
