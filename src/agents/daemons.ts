import type { NamedProcess } from '../filter/shells.ts';
import { recogniseDaemon } from './recognise.ts';

/** A member of a block as trackers/inspect.ts gives it. */
export interface DaemonCandidate extends Pick<NamedProcess, 'exe' | 'argv'> {
  readonly pid: number;
  readonly stat: { readonly comm: string } | undefined;
}

/**
 * What should be known before these processes are ended: the daemons of agents among them, one sentence for each kind.
 * Such a daemon is its user's, not the block's: sessions of agents elsewhere may live in it.
 */
export function warnOfDaemons(members: readonly DaemonCandidate[]): string[] {
  const pidsOf = new Map<string, number[]>();
  for (const { pid, exe, argv, stat } of members) {
    const daemon = recogniseDaemon({ exe, argv, comm: stat?.comm });
    if (daemon === undefined) continue;
    const text = `${daemon.title} (PIDS) ${daemon.risk}`;
    pidsOf.set(text, [...(pidsOf.get(text) ?? []), pid]);
  }
  return [...pidsOf].map(([text, pids]) =>
    text.replace('PIDS', `${pids.length === 1 ? 'pid' : 'pids'} ${pids.join(', ')}`),
  );
}
