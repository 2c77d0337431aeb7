import { isGone } from '../../model/process.ts';
import type { Platform } from '../platform.ts';
import type { Native } from './native.ts';

export interface Reaper {
  /** Looks a last time and stops; what is adopted and ends from then on stays a zombie until we end. */
  stop(): void;
}

export interface ReaperOptions {
  readonly platform: Pick<Platform, 'children' | 'readStat'>;
  readonly native: Pick<Native, 'waitNoHang'>;
  /**
   * Live set of the pids that we spawned ourselves: their exit status belongs to Node, which would wait for it for ever.
   * Every child of this process must be in it by the end of the turn in which it was spawned.
   */
  readonly own: ReadonlySet<number>;
  /**
   * Called once, when more orphans have ended between two looks than can be kept up with: at several thousand a second,
   * which a forking loop reaches, they would fill the pids of the whole machine. Whoever made us a subreaper ends that;
   * init reaps the next ones as fast as the kernel can.
   */
  readonly onFlood?: () => void;
}

/** So many zombies in one look are a flood: an ordinary build leaves a handful. */
const FLOOD = 500;

/**
 * Takes the exit statuses of orphans that a child subreaper adopts: Node waits only for what it spawned, so they would
 * pile up as zombies. Looks once at the start and then at every SIGCHLD; several ends may come as one signal, so each
 * look takes all. Does not keep the process running.
 */
export function startReaper(options: ReaperOptions): Reaper {
  let isFlooded = false;
  const reap = () => {
    const count = reapAdopted(options);
    if (isFlooded || count < FLOOD) return;
    isFlooded = true;
    options.onFlood?.();
  };
  process.on('SIGCHLD', reap);
  reap();
  return {
    stop() {
      process.off('SIGCHLD', reap);
      // The agent's end makes its zombies ours and wakes us for itself first: their signal may still be on the way.
      reap();
    },
  };
}

/** How many it reaped. */
function reapAdopted({ platform, native, own }: ReaperOptions): number {
  let count = 0;
  for (const pid of platform.children(process.pid)) {
    if (own.has(pid)) continue;
    const stat = platform.readStat(pid);
    if (stat === undefined || !isGone(stat)) continue;
    native.waitNoHang(pid);
    count += 1;
  }
  return count;
}
