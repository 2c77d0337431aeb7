/** What a terminal, a parent or our own kill of the block may send to a killer that is a member of it. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Ignores TERM, INT and HUP until the returned function is called: a killer inside the block that it ends must live to
 * verify and to report.
 */
export function ignoreSignals(): () => void {
  const ignore = (): void => undefined;
  for (const signal of SIGNALS) process.on(signal, ignore);
  return () => {
    for (const signal of SIGNALS) process.off(signal, ignore);
  };
}
