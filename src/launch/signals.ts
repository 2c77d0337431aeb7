import type { HandledSignal } from '../platform/starter.ts';

/** Our ears: on from before anything is created until we leave. */
export interface SignalListener {
  /** From here on signals come to `handler`, first those that came before. */
  attach(handler: (signal: HandledSignal) => void): void;
  /** True if a signal that asks us to end came before anything was attached. */
  readonly pending: HandledSignal | undefined;
  /** Gives every signal its default action again. */
  stop(): void;
}

export function listenForSignals(signals: readonly HandledSignal[]): SignalListener {
  const early: HandledSignal[] = [];
  let handler = (signal: HandledSignal): void => {
    early.push(signal);
  };
  const listener = (signal: NodeJS.Signals): void => handler(signal as HandledSignal);
  for (const signal of signals) process.on(signal, listener);
  return {
    attach(next) {
      handler = next;
      for (const signal of early.splice(0)) next(signal);
    },
    get pending() {
      return early.find((signal) => signal !== 'SIGUSR1' && signal !== 'SIGUSR2');
    },
    stop() {
      for (const signal of signals) process.removeListener(signal, listener);
    },
  };
}
