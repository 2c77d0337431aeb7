import type { AgentProcess } from '../../src/agents/profile.ts';

/** pid, ppid, sid, command line (words by blanks); the executable is the first word, of scripts node. */
export type ProcessLine = readonly [number, number, number | undefined, string];

/** A process that started at its pid. A `claude bg-pty-host` needs its blank: written as `~`. */
export function toProcess([pid, ppid, sid, line]: ProcessLine): AgentProcess {
  const argv = line.split(' ').map((word) => word.replace('~', ' '));
  const first = argv[0] ?? '';
  const exe = first.startsWith('claude')
    ? '/x/claude.exe'
    : first.includes('npm exec')
      ? '/usr/bin/node'
      : `/usr/bin/${first}`;
  return { pid, ppid, sid, startTicks: pid, exe, argv, comm: 'MainThread' };
}
