/** Signals that end the view. */
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

export interface SignalHandlers {
  /** One that ends us. */
  end(signal: NodeJS.Signals): void;
  /** Before we are stopped (Ctrl-Z from outside). */
  readonly stop: () => void;
  /** After we were stopped, by whatever. */
  resume(): void;
  /** A bug: nobody else caught it. */
  crash(error: unknown): void;
  /** The process ends without having asked. */
  exit(): void;
}

/** Hears of everything that could leave a terminal broken. Returns what ends that. */
export function handleSignals(handlers: SignalHandlers): () => void {
  const entries: [string, (...args: unknown[]) => void][] = [
    ...ENDING.map((signal): [string, () => void] => [signal, () => handlers.end(signal)]),
    // The very function: stopOurselves takes it off again.
    ['SIGTSTP', handlers.stop],
    ['SIGCONT', () => handlers.resume()],
    ['uncaughtException', (error) => handlers.crash(error)],
    ['exit', () => handlers.exit()],
  ];
  for (const [name, listener] of entries) process.on(name, listener);
  return () => {
    for (const [name, listener] of entries) process.off(name, listener);
  };
}

/**
 * Stops this process and those started with it, as the terminal does for Ctrl-Z where it is not raw. Resolves when it
 * runs again, at once where it can not be stopped: the kernel stops no orphaned process group (setpgid(2)).
 */
export function stopOurselves(listener: SignalHandlers['stop']): Promise<void> {
  process.off('SIGTSTP', listener);
  process.kill(0, 'SIGTSTP');
  return new Promise((resolve) => {
    setTimeout(() => {
      process.on('SIGTSTP', listener);
      resolve();
    }, STOP_MS);
  });
}

/** The signal is taken before a timer of this length can run. */
const STOP_MS = 20;

/** Dies of a signal, so that the shell sees it; its handlers must be gone. Resolves only if the signal is ignored. */
export function dieOf(signal: NodeJS.Signals): Promise<void> {
  process.kill(process.pid, signal);
  return new Promise((resolve) => {
    setTimeout(resolve, DEATH_MS);
  });
}

const DEATH_MS = 500;
