import type { Platform } from '../platform/platform.ts';
import type { SeenProcess } from './scan-members.ts';

/** Keeps the pids of members, so that a child of one that has ended is known by the pid of its parent. */
export interface PidKeeper {
  /** Pids that nobody else can have had since, each with the start of its member. */
  kept(): ReadonlyMap<number, number>;
  /** Takes what a look found, and lets go of whom two looks have missed: no child of theirs is unseen any more. */
  update(members: readonly SeenProcess[]): void;
  /** Lets go of all. */
  close(): void;
}

/** Without `keepPid` none is kept: where orphans are adopted, or a pid cannot be kept. */
export function createPidKeeper(keepPid: Platform['keepPid'], pidNamespace: () => string): PidKeeper {
  const held = new Map<number, { readonly startTicks: number; readonly release: () => void; isMissed: boolean }>();
  return {
    kept: () => new Map([...held].map(([pid, { startTicks }]) => [pid, startTicks])),
    update(members) {
      const seen = new Set(members.map(({ pid }) => pid));
      for (const [pid, one] of held) {
        if (!seen.has(pid) && one.isMissed) {
          one.release();
          held.delete(pid);
        }
        one.isMissed = !seen.has(pid);
      }
      for (const { pid, startTicks, bootId } of members) {
        if (held.has(pid)) continue;
        const release = keepPid?.({ pid, startTicks, bootId, pidNamespace: pidNamespace() });
        if (release !== undefined) held.set(pid, { startTicks, release, isMissed: false });
      }
    },
    close() {
      for (const { release } of held.values()) release();
      held.clear();
    },
  };
}
