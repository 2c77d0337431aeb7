import type { KillWorld } from '../../src/kill/transaction.ts';
import type { Role } from '../../src/model/block.ts';
import { createLinuxPlatform } from '../../src/platform/linux/linux-platform.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { MemberView } from '../../src/trackers/inspect.ts';
import type { Tracker } from '../../src/trackers/tracker.ts';
import { noEvidence } from '../helpers/evidence.ts';
import { withDescendants } from '../helpers/procfs.ts';

export interface ProcessWorldOptions {
  readonly roots: readonly number[];
  /** What the pids are to the block; `root` for the roots and `started` for the rest by default. */
  readonly roleOf?: (pid: number) => Role;
  readonly view?: (member: MemberView) => MemberView;
  readonly platform?: Platform;
  readonly tracker?: Partial<Tracker>;
  readonly mayFreeze?: boolean;
}

/** A world of real processes: the given roots, what descends from them, and whatever was a member before. */
export function createProcessWorld(options: ProcessWorldOptions): KillWorld {
  const platform = options.platform ?? createLinuxPlatform();
  const known = new Map<number, number>();
  const look = (): MemberView[] => {
    const table = platform.readTable().filter((stat) => stat.state !== 'Z');
    const starts = [...known].filter(([pid, ticks]) => table.some((s) => s.pid === pid && s.startTicks === ticks));
    const pids = withDescendants(table, [...options.roots, ...starts.map(([pid]) => pid)]);
    const members = table.filter((stat) => pids.has(stat.pid));
    for (const stat of members) known.set(stat.pid, stat.startTicks);
    return members.map((stat) => {
      const view: MemberView = {
        pid: stat.pid,
        startTicks: stat.startTicks,
        source: 'descent',
        confidence: 'best_effort',
        escaped: false,
        stat,
        role: options.roleOf?.(stat.pid) ?? (options.roots.includes(stat.pid) ? 'root' : 'started'),
        because: '',
        evidence: noEvidence,
        argv: platform.readDetails(stat.pid, { argv: true }).argv,
        exe: undefined,
      };
      return options.view?.(view) ?? view;
    });
  };
  const scan = { type: 'scan', killTree: async () => [], memberPids: () => [], setFrozen: () => false };
  const tracker = { ...scan, ...options.tracker } as Tracker;
  return { platform, tracker, look, mayFreeze: options.mayFreeze };
}
