import { isGone } from '../../model/process.ts';
import type { Platform } from '../platform.ts';
import type { Native } from './native.ts';

export interface Reaper {
  /** Stops it; adopted zombies stay from then on. */
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
}

/**
 * Takes the exit statuses of orphans that a child subreaper adopts: Node waits only for what it spawned, so they would
 * pile up as zombies. Looks once at the start and then at every SIGCHLD; several ends may come as one signal, so each
 * look takes all. Does not keep the process running.
 */
export function startReaper(options: ReaperOptions): Reaper {
  const reap = () => reapAdopted(options);
  process.on('SIGCHLD', reap);
  reap();
  return {
    stop() {
      process.off('SIGCHLD', reap);
    },
  };
}

function reapAdopted({ platform, native, own }: ReaperOptions): void {
  for (const pid of platform.children(process.pid)) {
    if (own.has(pid)) continue;
    const stat = platform.readStat(pid);
    if (stat !== undefined && isGone(stat)) native.waitNoHang(pid);
  }
}
