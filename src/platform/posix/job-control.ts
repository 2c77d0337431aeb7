import type { Identity } from '../../model/identity.ts';
import type { Platform } from '../platform.ts';
import { ownsTerminal } from './terminal.ts';

/**
 * Stops us along with an agent that stops itself (its own Ctrl-Z, in raw mode): the shell waits for us alone, and would
 * never give the prompt back. Continues the agent after us. Returns how to end it.
 *
 * A Ctrl-Z of the terminal needs none of this: it stops us and the agent at once (termios(3), VSUSP).
 */
export function followStops(platform: Platform, agent: Identity, ownPid: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  // SIGCHLD comes for stops too (sigaction(2), SA_NOCLDSTOP is not set by libuv).
  const onChild = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (shouldStop(platform, agent, ownPid)) stopBoth(platform, agent, ownPid);
    }, settleMs);
  };
  process.on('SIGCHLD', onChild);
  // It may have stopped before we listened.
  onChild();
  return () => {
    process.removeListener('SIGCHLD', onChild);
    clearTimeout(timer);
  };
}

/** After `fg` the news of the stop may reach us a moment before the agent has been continued. */
const settleMs = 50;

function shouldStop(platform: Platform, agent: Identity, ownPid: number): boolean {
  const stat = platform.readStat(agent.pid);
  const own = platform.readStat(ownPid);
  if (stat === undefined || own === undefined || stat.startTicks !== agent.startTicks || stat.state !== 'T')
    return false;
  if (!ownsTerminal(own, stat.pgid)) return false;
  // Without a shell of our session above us nobody would ever continue us (an orphaned process group).
  const parent = platform.readStat(own.ppid);
  return parent !== undefined && parent.sid === own.sid && parent.pgid !== own.pgid;
}

function stopBoth(platform: Platform, agent: Identity, ownPid: number): void {
  process.kill(ownPid, 'SIGSTOP');
  // Here we have been continued. `fg` continued the whole group; a lone SIGCONT only us.
  if (platform.readStat(agent.pid)?.state === 'T') platform.signal(agent, 'SIGCONT');
}
