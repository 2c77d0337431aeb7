import { constants } from 'node:os';
import { AgentmuxError } from '../errors.ts';

/** Reads a signal: `TERM`, `SIGTERM` or `15`, in any case. Throws a usage error, also for 0, which is no signal. */
export function parseSignal(text: string): NodeJS.Signals {
  const known = Object.entries(constants.signals);
  const name = text.toUpperCase().replace(/^(SIG)?/, 'SIG');
  const found = /^[0-9]+$/.test(text)
    ? known.find(([, number]) => String(number) === text)
    : known.find(([candidate]) => candidate === name);
  if (found !== undefined) return found[0] as NodeJS.Signals;
  throw new AgentmuxError('usage', `"${text}" is no signal`, {
    code: 'bad-signal',
    hint: 'write it as TERM, SIGTERM or 15',
  });
}
