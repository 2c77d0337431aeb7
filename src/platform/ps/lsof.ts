import type { Listener } from '../../model/process.ts';
import { ProgramError, type RunProgram } from './run-program.ts';

/**
 * Listening TCP sockets of every process that we may see, by lsof(8); undefined if it cannot be run. It exits with 1 where
 * there are none.
 */
export function readAllListeners(run: RunProgram): Map<number, Listener[]> | undefined {
  try {
    const { text, status } = run('lsof', ['-nP', '-iTCP', '-sTCP:LISTEN', '-F', 'pcnt']);
    return status === 0 || status === 1 ? parseListeners(text) : undefined;
  } catch (error) {
    if (error instanceof ProgramError) return undefined;
    throw error;
  }
}

/**
 * Parses the fields that `lsof -F` prints, one a line (lsof(8), "OUTPUT FOR OTHER PROGRAMS"): `p` begins a process, `f` a
 * file of it, `t` is its type, and `n` its name, of which the port is the digits at the end. What is no listener is
 * left out.
 */
export function parseListeners(text: string): Map<number, Listener[]> {
  const byPid = new Map<number, Listener[]>();
  let pid = 0;
  let type = '';
  for (const line of text.split('\n')) {
    const value = line.slice(1);
    if (line.startsWith('p')) pid = /^\d+$/.test(value) ? Number(value) : 0;
    else if (line.startsWith('t')) type = value;
    const listener = line.startsWith('n') && pid > 0 ? parseName(value, type) : undefined;
    if (listener === undefined) continue;
    const listeners = byPid.get(pid) ?? [];
    byPid.set(pid, listeners);
    if (!listeners.some((one) => isSame(one, listener))) listeners.push(listener);
  }
  return byPid;
}

/** `127.0.0.1:8080`, `*:8080`, `[::1]:8080`; perhaps ` (LISTEN)` behind it. */
function parseName(name: string, type: string): Listener | undefined {
  const match = /^(?:\[(.*)\]|(.*)):(\d{1,5})(?: \(LISTEN\))?$/.exec(name);
  if (match === null) return undefined;
  const port = Number(match[3]);
  const address = match[1] ?? match[2] ?? '';
  const isSix = type === 'IPv6' || (type !== 'IPv4' && address.includes(':'));
  if (port > 65_535) return undefined;
  return { protocol: isSix ? 'tcp6' : 'tcp', address: address === '*' ? (isSix ? '::' : '0.0.0.0') : address, port };
}

function isSame(a: Listener, b: Listener): boolean {
  return a.protocol === b.protocol && a.address === b.address && a.port === b.port;
}
