/** A process state for people, by its letter in proc_pid_stat(5). */
export function formatProcessState(letter: string | undefined): string {
  return letter === undefined ? '-' : (PROCESS_STATES[letter] ?? letter);
}

const PROCESS_STATES: Readonly<Record<string, string>> = {
  R: 'running',
  S: 'sleeping',
  D: 'blocked',
  T: 'stopped',
  t: 'traced',
  Z: 'zombie',
  X: 'dead',
  x: 'dead',
  I: 'idle',
};
